"""All solutions, the preferred one, and the choice of redundancy parameters."""
