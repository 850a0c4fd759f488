"""Robots read from MJCF beside MuJoCo: random states, frames, mass matrices and limits."""

from xml.etree import ElementTree

import mujoco
import numpy as np

from ik_node.spatial import rotation_log

FREE, BALL, SLIDE, HINGE = range(4)


def qpos_and_values(model, tree, rng):
    """Return a random state: MuJoCo's qpos, and the values of the tree's own joints."""
    data, values = mujoco.MjData(model), {}
    for joint in range(model.njnt):
        first, kind = model.jnt_qposadr[joint], model.jnt_type[joint]
        name = model.joint(joint).name or f'joint_{joint}'
        if kind == FREE:
            continue
        if kind == BALL:
            quaternion = rng.normal(size=4)
            data.qpos[first:first + 4] = quaternion / np.linalg.norm(quaternion)
            if f'{name}_wx' in tree.joints:
                w, x, y, z = data.qpos[first:first + 4]
                turn = rotation(np.array([w, x, y, z]))
                values |= dict(zip((f'{name}_w{axis}' for axis in 'xyz'), rotation_log(turn)))
            continue
        lower, upper = model.jnt_range[joint] if model.jnt_limited[joint] else (-3.0, 3.0)
        data.qpos[first] = rng.uniform(lower, upper)
        if name in tree.independent_joints:
            values[name] = data.qpos[first]
    for name, value in tree.joint_values(values).items():  # mimics follow
        if tree.joints[name].mimic is not None:
            data.qpos[model.jnt_qposadr[joint_id(model, name)]] = value
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    return data, values


def rotation(quaternion):
    matrix = np.zeros(9)
    mujoco.mju_quat2Mat(matrix, quaternion)
    return matrix.reshape(3, 3)


def joint_id(model, name):
    return next(joint for joint in range(model.njnt)
                if (model.joint(joint).name or f'joint_{joint}') == name)


def body_links(model, tree):
    """Return {id of a body: link} of those that the tree has."""
    named = {body: model.body(body).name or f'body_{body}' for body in range(model.nbody)}
    if tree.root == 'world':
        roots = {model.jnt_bodyid[k] for k in range(model.njnt) if model.jnt_type[k] == FREE}
        return {body: name for body, name in named.items() if model.body_rootid[body] not in roots}
    root = next(body for body, name in named.items() if name == tree.root)
    return {body: name for body, name in named.items() if model.body_rootid[body] == root}


def largest_difference(model, data, tree, values):
    """Return by how much the poses of all bodies and sites differ, m and elements of rotations."""
    T, bodies = tree.forward(values), body_links(model, tree)
    base = next(body for body, link in bodies.items() if link == tree.root)
    R, p = data.xmat[base].reshape(3, 3), data.xpos[base]
    pairs = [(link, data.xpos[body], data.xmat[body]) for body, link in bodies.items()]
    for site in range(model.nsite):
        name = model.site(site).name
        if name and model.site_bodyid[site] in bodies:
            link = f'{name}_site' if name in bodies.values() else name
            pairs.append((link, data.site_xpos[site], data.site_xmat[site]))
    return max(max(np.abs(T[link][:3, 3] - R.T @ (x - p)).max(),
                   np.abs(T[link][:3, :3] - R.T @ xmat.reshape(3, 3)).max())
               for link, x, xmat in pairs), len(pairs)


def mass_difference(model, data, tree, values):
    """Return by how much mass matrices differ, without armature; None for trees with balls.

    The columns of mimics are added to those of their sources: G' M G.
    """
    if tree.complex_joints:
        return None
    body = tree.body()
    mujoco.mj_crb(model, data)
    M = np.array([_momenta(model, data, unit) for unit in np.eye(model.nv)]) - np.diag(
        model.dof_armature)
    G = np.zeros((model.nv, body.n_joints))
    columns = {name: k for k, name in enumerate(body.joint_names)}
    for joint in range(model.njnt):
        name = model.joint(joint).name or f'joint_{joint}'
        if name in tree.joints and model.jnt_type[joint] != FREE:
            drive = tree.drives[name]
            G[model.jnt_dofadr[joint], columns[drive.source]] = drive.multiplier
    q = [values[name] for name in body.joint_names]
    return np.abs(G.T @ M @ G - body.mass_matrix(q)).max(initial=0.0)


def _momenta(model, data, velocities):
    found = np.zeros(model.nv)
    mujoco.mj_mulM(model, data, found, velocities)
    return found


def by_urdf(tree):
    """Return a tree's URDF as MuJoCo reads it, links whole, without shapes, and that tree.

    MuJoCo wants masses for moving bodies, which links between the joints of a body have not.
    """
    tree = tree.with_euler_angles()
    robot = ElementTree.fromstring(tree.to_urdf())
    for link in robot.findall('link'):
        for tag in ('visual', 'collision'):
            for shape in link.findall(tag):
                link.remove(shape)
    extension = ElementTree.SubElement(robot, 'mujoco')
    ElementTree.SubElement(extension, 'compiler', fusestatic='false', boundmass='1e-6',
                           boundinertia='1e-9', balanceinertia='true')
    return mujoco.MjModel.from_xml_string(ElementTree.tostring(robot, encoding='unicode')), tree


def difference_by_urdf(tree, rng):
    """Return by how much the poses of links differ in MuJoCo, which read the tree's URDF."""
    model, tree = by_urdf(tree)
    data = mujoco.MjData(model)
    values = tree.joint_values({name: rng.uniform(max(joint.lower, -3.0), min(joint.upper, 3.0))
                                for name, joint in tree.joints.items()
                                if name in tree.independent_joints})
    for name, value in values.items():
        data.joint(name).qpos[0] = value
    mujoco.mj_kinematics(model, data)
    largest = 0.0
    for link, T in tree.forward({name: values[name] for name in tree.independent_joints}).items():
        body = data.body(link)
        largest = max(largest, np.abs(body.xpos - T[:3, 3]).max(),
                      np.abs(body.xmat.reshape(3, 3) - T[:3, :3]).max())
    return largest
