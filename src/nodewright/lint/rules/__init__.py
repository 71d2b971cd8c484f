"""One file a rule: each looks at a whole stream and yields what it finds."""
