"""Why, as values: a pod's way through every pool and node, and the smallest change that helps."""
