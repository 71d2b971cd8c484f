"""User data: what a machine is told at boot, in the language of its image's family."""
