"""The checks, one file each: `probe` gathers facts and decides nothing, `judge` decides and asks nobody."""
