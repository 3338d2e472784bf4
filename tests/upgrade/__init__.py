"""Installations made by earlier versions, which every later one must be able to go on with."""
