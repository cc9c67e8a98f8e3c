"""How a judge is asked: its prompt, the order of the options, its seeds."""
