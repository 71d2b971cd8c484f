"""Answers made from values: what a route gives, worked out from a view, a World or a journal."""
