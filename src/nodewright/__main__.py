"""`python -m nodewright` is the same program as `nodewright`."""

from nodewright.cli.main import main

if __name__ == "__main__":
    main()
