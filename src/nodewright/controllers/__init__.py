"""The shell: controllers wake, look, let the core decide, and act. One file each, one shape."""
