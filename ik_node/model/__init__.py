"""The robot: trees, chains and bodies, pose libraries, and one reader for each source of models.

A reader returns plain lists of links and joints. Nothing here solves or moves.
"""
