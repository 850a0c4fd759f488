"""Workspace analysis: reachability, dexterity, conditioning and task rank of an arm."""
