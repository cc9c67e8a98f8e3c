"""What `keep` prints: its rule in words, its cost, and how well votes tell right from wrong."""
