"""Closed forms: the kind of arm is recognised, every branch is returned."""
