"""Adapter of the Cloud port: machines that exist only in the API, played by KWOK."""
