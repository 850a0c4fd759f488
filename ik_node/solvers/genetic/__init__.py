"""Memetic evolution."""
