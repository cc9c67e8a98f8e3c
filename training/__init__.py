"""How the tiny judge was made: its text, its tokenizer, its training and its scores."""
