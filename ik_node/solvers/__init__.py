"""The solvers: `arm` for one arm and one goal, `body` for several tasks, each method's package.

`kernel` has the compiled searches, `path` whole paths, `collision` ways out of contacts. They know
chains, bodies and arrays, never XML, files or ROS.
"""
