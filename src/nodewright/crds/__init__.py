"""CustomResourceDefinitions, made from the structs that the rest of the program reads."""
