"""Checkers: what must hold after every step, whatever goes wrong."""
