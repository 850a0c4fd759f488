"""The preferred one of all solutions."""
