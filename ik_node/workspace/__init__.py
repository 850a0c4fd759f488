"""Analysis of an arm: reach, dexterity, conditioning and task rank over voxels.

It computes and draws pictures; markers for RViz are in `ros/publishing`.
"""
