"""Analysis of an arm: reach, dexterity, task rank over voxels, and reachability maps.

It computes and draws pictures; markers for RViz are in `ros/publishing`.
"""

import importlib

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ik_node.workspace.placement import Placement, base_poses
    from ik_node.workspace.reachability import ReachabilityMap, reachability_map

__all__ = ['Placement', 'ReachabilityMap', 'base_poses', 'reachability_map']

# Imported with the first use: the node needs the task rank of an arm, and seldom a map.
_HOMES = {'Placement': 'placement', 'base_poses': 'placement',
          'ReachabilityMap': 'reachability', 'reachability_map': 'reachability'}


def __getattr__(name: str) -> object:
    """Import what belongs to the public API."""
    if name not in _HOMES:
        raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
    value: object = getattr(importlib.import_module(f'{__name__}.{_HOMES[name]}'), name)
    globals()[name] = value
    return value
