"""The methods for one arm and one goal; `solvers/body` for several tasks at once.

They know chains, bodies and arrays, never XML, files or ROS.
"""
