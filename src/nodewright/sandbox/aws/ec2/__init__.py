"""EC2: what moto's instances lack, from the market to the console."""
