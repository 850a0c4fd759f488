"""Skeletons' motions, recordings of several formats, playback and retargeting.

No nodes: those that play a recording are in `ros/clients`.
"""
