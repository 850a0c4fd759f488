"""The browser view of an ik_node: drag the goal, choose the solver, follow the robot."""
