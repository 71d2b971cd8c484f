"""Puts Nodewright onto an existing EKS cluster, and takes it off again: look, plan, apply, undo."""
