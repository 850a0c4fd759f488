"""Commands as their entry points run them."""


def entry_point(name):
    """Return the arguments of Python that run a command of the package."""
    return '-c', f'from ik_node.commands.entry_points import {name} as run; exit(run())'
