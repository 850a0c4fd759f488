"""Commands that people start."""
