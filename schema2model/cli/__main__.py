"""`python -m schema2model.cli`, for where the script is not on the path."""

from schema2model.cli import main

if __name__ == "__main__":
    main()
