"""Checks, errors, options, archives, arrays and linear algebra, of use to any package."""
