"""An arm in LeRobot's terms, degrees and a gripper, without placo: the tip goes along a line.

python examples/lerobot_arm.py [so101.urdf gripper_frame_link]
"""

import sys

import numpy as np

# In LeRobot's own programs this line replaces `from lerobot.model.kinematics import …`.
from ik_node.lerobot import RobotKinematics
from ik_node.support.resources import robot_file

STEPS, STEP = 20, 0.005  # m


def main() -> None:
    """Follow a line of 10 cm in steps of 5 mm, as teleoperation does."""
    file, frame = sys.argv[1:3] if len(sys.argv) > 2 else (robot_file('arm_6r'), 'tool0')
    kinematics = RobotKinematics(str(file), target_frame_name=frame)
    motors = len(kinematics.joint_names)
    observed = np.append(np.full(motors, 20.0), 55.0)  # degrees; the last is the gripper's
    T = kinematics.forward_kinematics(observed)
    largest = 0.0
    for _ in range(STEPS):
        T[2, 3] -= STEP
        observed = kinematics.inverse_kinematics(observed, T)
        reached = kinematics.forward_kinematics(observed)
        largest = max(largest, float(np.linalg.norm(reached[:3, 3] - T[:3, 3])))
    print(f'{STEPS} steps, at most {1e3 * largest:.4f} mm from the line; the gripper is at '
          f'{observed[-1]:g}')
    print(dict(zip(kinematics.joint_names, observed.round(1).tolist())))


if __name__ == '__main__':
    main()
