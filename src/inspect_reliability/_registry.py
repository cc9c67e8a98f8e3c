"""What inspect finds under the name `inspect_reliability`: imports only."""
