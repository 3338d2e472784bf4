"""The rules of the tree, counted."""
