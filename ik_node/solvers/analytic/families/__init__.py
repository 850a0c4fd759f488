"""The closed form of each family of arms."""
