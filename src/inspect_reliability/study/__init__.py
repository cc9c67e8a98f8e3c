"""The published study: its benchmarks, responders, judges and procedure."""
