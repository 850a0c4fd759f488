"""The page in the browser: drag goals, choose solvers, follow the robot.

It uses a node as any client does, and has no state of the robot of its own.
"""
