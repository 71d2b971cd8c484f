"""Whole runs of the simulated world, with a small autoscaler of the tests' own."""
