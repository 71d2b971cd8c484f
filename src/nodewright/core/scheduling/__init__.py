"""Where every pod goes, and which nodes to make for the rest."""
