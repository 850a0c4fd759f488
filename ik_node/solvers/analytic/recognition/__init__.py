"""Recognition of the family of a chain, from its axes."""
