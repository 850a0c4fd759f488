"""Ways for an arm to go."""
