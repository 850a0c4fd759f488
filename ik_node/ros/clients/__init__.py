"""Nodes that use an ik_node: a client, the connection of the view, and demonstration goals."""
