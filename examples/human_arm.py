"""An arm that reaches as a person does: the elbow of a humanoid's left arm.

python examples/human_arm.py
"""

from typing import Any

import numpy as np

from ik_node import KinematicTree, make_solver
from ik_node.support.resources import robot_file

HAND = (0.0, 0.0, -1.0)                                  # from the wrist to the fingers, palm frame
TORSO = (0.0, 0.0, 0.1, 0.0, 0.0, 0.35, 0.2)             # capsule: two points and a radius, m


def main() -> None:
    """Print where the elbow is for one pose of the palm, preference by preference."""
    chain = KinematicTree.from_urdf(robot_file('humanoid')).chain('chest', 'left_palm')
    q0 = np.array([-0.1, 0.1, -0.8, 2.0, -0.9, -0.2, -0.6])
    T_chest_palm = chain.forward(q0)
    preferences: dict[str, dict[str, Any]] = {
        'none': {},
        'forearm in line with the hand': {'hand_axis': HAND},
        '… and inside the comfort zone': {'hand_axis': HAND, 'comfort_zone': 0.8},
        '… and away from the torso': {'hand_axis': HAND, 'comfort_zone': 0.8,
                                      'torso_capsule': TORSO},
    }
    for words, options in preferences.items():
        result = make_solver('analytic', chain, **options).solve(T_chest_palm, q0)
        frames = chain.tree.forward(dict(zip(chain.joint_names, result.q)))
        elbow, wrist = (np.linalg.solve(frames['chest'], frames[link])[:3, 3]
                        for link in ('left_elbow_link', 'left_hand'))
        forearm, hand = wrist - elbow, T_chest_palm[:3, :3] @ HAND
        bend = np.degrees(np.arccos(forearm @ hand / np.linalg.norm(forearm)))
        print(f'{words:31}  elbow {elbow.round(3)} m, wrist bent {bend:.0f}°')


if __name__ == '__main__':
    main()
