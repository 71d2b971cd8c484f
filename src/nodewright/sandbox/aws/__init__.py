"""An AWS account on loopback: moto for what it does well, our own handlers for the rest."""
