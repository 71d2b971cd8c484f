"""Who scales the nodes in a forecast: ourselves, models of others, nobody, and what cannot be beaten."""
