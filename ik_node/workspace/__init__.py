"""Analysis of an arm: reach, dexterity, task rank over voxels, and reachability maps.

It computes and draws pictures; markers for RViz are in `ros/publishing`.
"""

from ik_node.workspace.placement import Placement, base_poses
from ik_node.workspace.reachability import ReachabilityMap, reachability_map

__all__ = ['Placement', 'ReachabilityMap', 'base_poses', 'reachability_map']
