"""A model of EC2: what is on sale, fleets, machines and their messages."""
