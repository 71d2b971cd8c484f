"""Adapter of the Cloud port: machines of EC2, asked for and given back through boto3."""
