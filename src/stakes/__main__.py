"""``python -m stakes``: the command where its folder is not on the path."""

from stakes.cli import main

if __name__ == "__main__":
    main()
