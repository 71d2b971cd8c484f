"""The command line: reads arguments, calls the other rooms, prints values. Decides nothing."""
