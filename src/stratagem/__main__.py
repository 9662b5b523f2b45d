"""`python -m stratagem` is the command line."""

from stratagem.cli import main

main()
