"""A public benchmark of readers of tool arguments: `python -m benchmarks.public`."""
