"""`python -m pilothouse`."""

from pilothouse.app.cli import main

main()
