"""The journal: decisions, what they were decided on and what came of them, on disk."""
