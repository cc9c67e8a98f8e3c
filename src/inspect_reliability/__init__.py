"""Can I trust this LLM judge? Reliability of LLM judges for inspect-ai."""
