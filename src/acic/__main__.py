"""`python -m acic`."""

from acic.cli.main import main

if __name__ == "__main__":
    main()
