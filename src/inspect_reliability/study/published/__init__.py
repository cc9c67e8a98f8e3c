"""The published study: its files, its procedure, its judgments as logs."""
