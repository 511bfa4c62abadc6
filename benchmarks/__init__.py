"""Benchmarks: how fast the library is, what it recovers, and how that compares.

`python -m benchmarks` runs them all and writes `docs/benchmarks.md`;
`pytest benchmarks --benchmark-only` runs them alone.
"""
