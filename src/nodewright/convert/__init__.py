"""Old resources turned into those of today."""
