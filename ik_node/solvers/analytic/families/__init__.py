"""The closed form of each family, and its branches on the nominal arm."""
