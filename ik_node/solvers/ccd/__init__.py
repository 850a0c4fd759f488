"""Cyclic coordinate descent: one joint at a time, each to its optimum."""
