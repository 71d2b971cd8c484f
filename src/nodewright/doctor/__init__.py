"""Finds what is wrong with an installation and its cluster, says why, and mends it where one answer is right."""
