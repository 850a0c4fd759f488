"""Motions of joints and tips: paths, limits, time scaling and trajectories.

They end at a trajectory: recordings are in `mocap`, execution is in `control`.
"""
