"""A document becomes nodes: dialects, references, keywords, and the verdicts on every part."""
