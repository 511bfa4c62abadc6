"""Type checkers read these modules; no test runs them, as they import the packages of providers."""

collect_ignore_glob = ["loops/*.py", "sdk_script.py"]
