"""Steps and searches over tasks of several priorities."""
