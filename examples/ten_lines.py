"""Inverse kinematics without ROS: a robot, a goal, an answer."""

from ik_node import KinematicTree, make_solver
from ik_node.support.resources import robot_file

chain = KinematicTree.from_urdf(robot_file('arm_6r')).chain()  # or from_urdf('your_arm.urdf')
solver = make_solver('dls', chain)
T_base_goal = chain.forward([0.3, -0.5, 0.8, 0.1, 1.0, 0.0])   # a pose (4, 4), m
result = solver.solve(T_base_goal)
print(f'{result.success}: {result.reason.value}, {result.position_error:.1e} m off')
print(dict(zip(chain.joint_names, result.q.round(4).tolist())))
