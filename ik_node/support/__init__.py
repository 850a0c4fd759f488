"""What any package would need."""
