"""The nouns: frozen values that every other room speaks of. Nothing here acts or decides."""
