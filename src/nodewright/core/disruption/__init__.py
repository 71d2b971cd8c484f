"""Disruption: which nodes go, what replaces them, and why all others stay. Nothing is done here."""
