"""Snapshots that come with the program: invented clusters to look at and to learn from."""
