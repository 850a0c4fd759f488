"""Branches of the nominal arm, brought onto the true arm."""
