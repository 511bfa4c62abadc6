"""Rules of coercion: what a value may stand for, and in which order they are tried."""
