"""The EC2 table: instance types with their labels, capacity, offerings and prices."""
