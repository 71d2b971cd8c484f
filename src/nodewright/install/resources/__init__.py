"""What an installation is made of, one file for each kind of thing."""
