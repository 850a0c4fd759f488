"""Ours and the peers as one kind of function: solve(T_base_goal, q0) → q, or None."""

import importlib.util
import sys
import tempfile
from collections.abc import Callable

import numpy as np

from benchmark.arms import Arm
from ik_node import KinematicTree, make_solver
from ik_node.kinematics.kinds import PRISMATIC

_DEBIAN = '/usr/lib/python3/dist-packages'

Solve = Callable[[np.ndarray, np.ndarray], np.ndarray | None]

PEERS = ('rtb', 'trac-ik', 'kdl', 'optik', 'ikpy')


def ours(name: str, arm: Arm, tolerance: float) -> Solve:
    """Return one of our solvers, its Python wrapper included; tolerance in m and rad."""
    solver = make_solver(name, arm.chain, position_tolerance=tolerance,
                         orientation_tolerance=tolerance)

    def solve(T: np.ndarray, q0: np.ndarray) -> np.ndarray | None:
        result = solver.solve(T, q0)
        return result.q if result.success else None
    return solve


def peer(name: str, arm: Arm, tolerance: float) -> Solve:
    """Return a peer; tolerance in m and rad. Raises ImportError where it is not installed."""
    return {'rtb': _rtb, 'trac-ik': _trac_ik, 'kdl': _kdl, 'optik': _optik,
            'ikpy': _ikpy}[name](arm, tolerance)


def _rtb(arm: Arm, tolerance: float) -> Solve:
    """Peter Corke's robotics toolbox: its C++ Levenberg–Marquardt, ik_LM."""
    import roboticstoolbox as rtb
    from spatialmath import SE3

    ets = rtb.ETS()
    arrays = arm.chain.arrays
    for placement, prismatic in zip(arrays.placement[:-1], arrays.kind == PRISMATIC):
        ets = ets * rtb.ET.SE3(SE3(placement, check=False)) * (
            rtb.ET.tz() if prismatic else rtb.ET.Rz())
    ets = ets * rtb.ET.SE3(SE3(arrays.placement[-1], check=False))
    lower = np.where(np.isfinite(arm.chain.lower), arm.chain.lower, -np.pi)
    upper = np.where(np.isfinite(arm.chain.upper), arm.chain.upper, np.pi)
    for joint, low, high in zip(ets.joints(), lower, upper):
        joint.qlim = np.array([low, high])
    ets = rtb.ETS([*ets])
    energy = 0.5 * tolerance ** 2  # it bounds half the squared error of all six axes together

    def solve(T: np.ndarray, q0: np.ndarray) -> np.ndarray | None:
        found = ets.ik_LM(T, q0=q0, tol=energy, ilimit=30, slimit=100)
        return found.q if found.success else None
    return solve


def _trac_ik(arm: Arm, tolerance: float) -> Solve:
    """TRAC-IK, C++, with its default time-out of 5 ms.

    It gets the arm alone, as a file made of its DH rows: of trees that branch it solves nothing.
    """
    from trac_ik import TracIK
    serial = KinematicTree.from_dh(arm.chain.to_dh('modified'))
    with tempfile.NamedTemporaryFile('w', suffix='.urdf') as file:
        file.write(serial.to_urdf())
        file.flush()
        solver = TracIK(serial.root, serial.chain().tip_link, file.name, timeout=0.005,
                        epsilon=tolerance)

    def solve(T: np.ndarray, q0: np.ndarray) -> np.ndarray | None:
        return solver.ik(T[:3, 3], T[:3, :3], seed_jnt_values=q0)
    return solve


def _kdl(arm: Arm, tolerance: float) -> Solve:
    """Orocos KDL, C++: Newton–Raphson inside joint limits, from one start."""
    if importlib.util.find_spec('PyKDL') is None:
        sys.path.append(_DEBIAN)  # python3-pykdl is a package of the system, not of the index
    import PyKDL

    def frame(T: np.ndarray) -> PyKDL.Frame:
        return PyKDL.Frame(PyKDL.Rotation(*T[:3, :3].ravel().tolist()),
                           PyKDL.Vector(*T[:3, 3].tolist()))

    def array(values: np.ndarray) -> PyKDL.JntArray:
        joints = PyKDL.JntArray(len(values))
        for k, value in enumerate(values.tolist()):
            joints[k] = value
        return joints

    arrays, n = arm.chain.arrays, arm.chain.n_joints
    chain = PyKDL.Chain()
    chain.addSegment(PyKDL.Segment(PyKDL.Joint(PyKDL.Joint.Fixed), frame(arrays.placement[0])))
    for placement, kind in zip(arrays.placement[1:], arrays.kind):
        joint = PyKDL.Joint(PyKDL.Joint.TransZ if kind == PRISMATIC else PyKDL.Joint.RotZ)
        chain.addSegment(PyKDL.Segment(joint, frame(placement)))
    lower = np.where(np.isfinite(arm.chain.lower), arm.chain.lower, -np.pi)
    upper = np.where(np.isfinite(arm.chain.upper), arm.chain.upper, np.pi)
    forward, velocity = PyKDL.ChainFkSolverPos_recursive(chain), PyKDL.ChainIkSolverVel_pinv(chain)
    solver = PyKDL.ChainIkSolverPos_NR_JL(chain, array(lower), array(upper), forward, velocity,
                                          500, tolerance)

    def solve(T: np.ndarray, q0: np.ndarray) -> np.ndarray | None:
        found = PyKDL.JntArray(n)
        if solver.CartToJnt(array(q0), frame(T), found) < 0:
            return None
        return np.array([found[k] for k in range(n)])
    solve.keeps = chain, forward, velocity, solver  # type: ignore[attr-defined]  # KDL points to them
    return solve


def _optik(arm: Arm, tolerance: float) -> Solve:
    """OptIK, Rust: SLSQP with restarts, on one core, with its default time-out of 100 ms.

    Raises NotImplementedError for continuous joints, of which it has none, and where it reads
    other kinematics from the file.
    """
    import optik
    if not np.isfinite([arm.chain.lower, arm.chain.upper]).all():
        raise NotImplementedError('it has no continuous joints')
    robot = optik.Robot.from_urdf_file(str(arm.file), arm.chain.base_link, arm.chain.tip_link)
    robot.set_parallelism(1)
    q = 0.5 * (arm.chain.lower + arm.chain.upper)
    if not np.allclose(robot.fk(q.tolist()), arm.chain.forward(q), atol=tolerance):
        raise NotImplementedError(f'its forward kinematics of {arm.name} differs')
    # It bounds the squared error, metres and radians together.
    config = optik.SolverConfig(tol_f=0.5 * tolerance ** 2)

    def solve(T: np.ndarray, q0: np.ndarray) -> np.ndarray | None:
        found = robot.ik(config, T.tolist(), q0.tolist())
        return None if found is None else np.array(found[0])
    return solve


def _ikpy(arm: Arm, tolerance: float) -> Solve:
    """ikpy, in Python on scipy's optimisers, which it gives no tolerance to."""
    import warnings

    from ikpy.chain import Chain
    from ikpy.link import OriginLink, URDFLink
    from scipy.spatial.transform import Rotation
    warnings.filterwarnings('ignore')  # of gimbal lock, and of links that do not move
    links = [OriginLink()]
    joints = iter(arm.chain.tree.path(arm.chain.base_link, arm.chain.tip_link))
    moving = []
    for joint in joints:
        rpy = Rotation.from_matrix(joint.placement[:3, :3]).as_euler('xyz')
        kind = {'prismatic': 'prismatic'}.get(joint.type, 'revolute')
        links.append(URDFLink(
            joint.name, joint.placement[:3, 3], rpy,
            rotation=joint.axis if joint.moves and kind == 'revolute' else None,
            translation=joint.axis if joint.moves and kind == 'prismatic' else None,
            bounds=(max(joint.lower, -np.pi), min(joint.upper, np.pi)),
            joint_type=kind if joint.moves else 'fixed'))
        moving.append(joint.moves)
    chain = Chain(links, active_links_mask=[False, *moving])
    active = np.flatnonzero([False, *moving])

    def solve(T: np.ndarray, q0: np.ndarray) -> np.ndarray | None:
        start = np.zeros(len(links))
        start[active] = q0
        try:
            return chain.inverse_kinematics_frame(T, initial_position=start,
                                                  orientation_mode='all')[active]
        except ValueError:  # scipy, of a start on a bound
            return None
    return solve
