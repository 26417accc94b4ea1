"""`python -m pagecost` is the same program as `pagecost`."""

from pagecost.cli import main

if __name__ == "__main__":
    main()
