"""How an output becomes a verdict: what a judge can answer, and the parsers that read it."""
