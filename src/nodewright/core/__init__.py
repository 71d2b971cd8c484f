"""Decisions as pure functions of values: no waiting, no clock, no chance, no clients."""
