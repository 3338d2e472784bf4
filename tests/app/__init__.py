"""The command line as an operator sees it: real processes on real directories."""
