"""Bodies and tasks for the tests of tasks and of body solvers."""

import numpy as np
from scipy.spatial.transform import Rotation

from ik_node import KinematicTree
from ik_node.model.joints import ComplexJoint, Joint, Mimic
from ik_node.model.parts import Inertial
from ik_node.tasks import (
    AlignAxis,
    CenterOfMass,
    Distance,
    HalfSpace,
    LookAt,
    Orientation,
    PointOnLine,
    PointOnPlane,
    Pose,
    Position,
    Posture,
    RelativePose,
    Spring,
)

ROOTS = ('fixed', 'planar', 'floating')


def placed(x, y, z, rotation=(0.0, 0.0, 0.0)):
    """Return a pose (4, 4) at a position, m, turned by a rotation vector, rad."""
    T = np.eye(4)
    T[:3, :3] = Rotation.from_rotvec(rotation).as_matrix()
    T[:3, 3] = x, y, z
    return T


def hand(body, q, side='left'):
    """Return the position (3,), m, of a hand of `two_arms`."""
    return body.forward(q)[f'{side}_hand'][:3, 3]


def bounds(body, unlimited=1.0):
    """Return the limits of a body (n,), ±unlimited where there is none."""
    return (np.where(np.isfinite(body.lower), body.lower, -unlimited),
            np.where(np.isfinite(body.upper), body.upper, unlimited))


def figure(root='fixed'):
    """Return a body with a ball, a prismatic joint, a mimic in another branch, and masses."""
    x, y, z = np.eye(3)
    return KinematicTree(
        ['trunk', 'arm', 'fore', 'hand', 'finger', 'head', 'nose'],
        [ComplexJoint('shoulder', 'ball', 'trunk', 'arm', placed(0.1, 0.2, 0.5, (0.3, 0.1, 0.2)),
                      rotation='exponential'),
         Joint('elbow', 'revolute', 'arm', 'fore', placed(0.4, 0.0, 0.1), y, -2.0, 2.0, 1.5),
         Joint('wrist', 'continuous', 'fore', 'hand', placed(0.3, 0.0, 0.0, (0.0, 0.4, 0.0)), x),
         Joint('grip', 'prismatic', 'hand', 'finger', placed(0.1, 0.0, 0.1), 0.6 * x + 0.8 * y,
               -0.3, 0.3),
         Joint('neck', 'revolute', 'trunk', 'head', placed(0.0, 0.0, 0.7), y, -3.0, 3.0,
               mimic=Mimic('grip', -2.0, 0.1)),
         Joint('tilt', 'revolute', 'head', 'nose', placed(0.1, 0.0, 0.1), z, -1.5, 1.5)],
        name='figure',
        inertials={'trunk': Inertial(4.0, [0, 0, 0.3]), 'arm': Inertial(2.0, [0.2, 0, 0]),
                   'hand': Inertial(1.0), 'head': Inertial(1.5, [0.0, 0.0, 0.1])}).body(root)


def two_arms(root='fixed', limit=2.8, joints=3, speed=2.0):
    """Return a body of two planar arms on one trunk; links left_1 …, left_hand, right_1 …."""
    z = np.eye(3)[2]
    links, parts, inertials = ['trunk'], [], {'trunk': Inertial(5.0)}
    for side, y in (('left', 0.3), ('right', -0.3)):
        parent, T = 'trunk', placed(0.0, y, 0.0)
        for k in range(1, joints + 1):
            link = f'{side}_{k}'
            links.append(link)
            parts.append(Joint(f'{side}_joint_{k}', 'revolute', parent, link, T, z, -limit, limit,
                               speed))
            inertials[link] = Inertial(1.0, [0.2, 0, 0])
            parent, T = link, placed(0.4, 0.0, 0.0)
        links.append(f'{side}_hand')
        parts.append(Joint(f'{side}_tip', 'fixed', parent, f'{side}_hand', T))
    return KinematicTree(links, parts, name='two arms', inertials=inertials).body(root)


def every_task(body):
    """Return one task of each kind for a `figure`, with targets near nothing in particular."""
    square = [[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]]
    return [
        Pose('finger', placed(0.2, 0.4, 0.9, (1.0, -0.5, 0.3)), point=(0.1, 0.2, -0.1)),
        Pose('hand', placed(0.1, 0.3, 0.2, (0.3, 0.9, -1.0)), weights=(1, 0, 2, 0, 0, 1),
             name='part'),
        Pose('finger', placed(0.2, 0.4, 0.9, (1.0, -0.5, 0.3)), (1, 0, 1, 0, 1, 1),
             (0.1, 0.2, -0.1), (0.5, -0.5, 0.5, 0.5), name='axes'),
        Position('nose', (0.3, 0.1, 0.2), point=(0.1, 0.0, 0.2)),
        Orientation('fore', Rotation.from_rotvec([0.2, 1.2, -0.3]).as_matrix()),
        PointOnLine('hand', (0.1, 0.0, 0.2), (0.3, 0.2, 0.1), (1.0, 2.0, -1.0)),
        PointOnPlane('hand', (0.1, 0.0, 0.2), (0.3, 0.2, 0.1), (0.0, 2.0, -1.0)),
        HalfSpace('hand', (0.1, 0.0, 0.2), (0.3, 0.2, 0.1), (0.0, 2.0, -1.0)),
        AlignAxis('finger', (0.0, 1.0, 1.0), (1.0, -1.0, 0.5)),
        LookAt('nose', (1.0, 0.2, 0.0), (2.0, 1.0, 0.5)),
        CenterOfMass((0.1, np.nan, 0.4), square),
        Posture(np.linspace(-0.4, 0.4, body.n_joints), np.arange(body.n_joints)),
        RelativePose('finger', 'nose', placed(0.3, 0.2, 0.1, (0.4, 0.5, -0.6))),
        Distance('finger', 'nose', 0.1, 0.4, (0.1, 0.0, 0.0), (0.0, 0.2, 0.0)),
        Distance('finger', None, 0.3, 0.3, (0.1, 0.0, 0.0), (1.0, 1.0, 1.0), name='to the world'),
        Spring('hand', 'head', 20.0, 0.1, (0.1, 0.0, 0.0), (0.0, 0.0, 0.2)),
        Spring('arm', None, 20.0, 0.0, (0.1, 0.0, 0.0), (0.0, 0.0, 0.2), name='without a rest')]
