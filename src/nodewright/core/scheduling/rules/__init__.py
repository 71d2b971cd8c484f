"""One rule a file: may this pod run there, and if not, why not."""
