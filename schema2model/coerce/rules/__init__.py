"""Rules of coercion: the possible readings of a value, in the order in which they are tried."""
