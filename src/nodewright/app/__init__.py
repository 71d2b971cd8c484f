"""Wiring: brings files, clocks and adapters to the rooms that decide."""
