"""How the tiny judge was made: its text, its tokenizer and its training."""
