"""What a judgment is as written and read: its seeds, cells, replications and distributions."""
