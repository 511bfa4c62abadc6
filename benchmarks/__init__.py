"""Benchmarks: how fast the library is, what it recovers, and how that compares.

`python -m benchmarks` runs them all and writes `benchmarks/results.md` and what it comes to;
`pytest benchmarks --benchmark-only` runs them alone.
"""
