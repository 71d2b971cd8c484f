"""Promises: what controllers ask of the world, as protocols that adapters keep."""
