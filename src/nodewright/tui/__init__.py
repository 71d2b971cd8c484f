"""The terminal's own screens: values of `view/` drawn with Textual, and the keys that lead through them."""
