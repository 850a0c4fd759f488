"""Reads MJCF, the format of MuJoCo: bodies and sites as links, with MuJoCo's joint values.

A joint of MuJoCo turns a body about an anchor, which need not be the body's origin, and a body may
have several joints. Between them are links `<body>_<joint>`, each at the anchor of its joint:

    T_parent_body = T(pos, quat) · Π_k T(anchor_k) · A_k(q_k − ref_k) · T(−anchor_k)
"""

from collections.abc import Callable
from os import PathLike
from typing import Any

import numpy as np

from ik_node.model.joints import (
    BALL,
    CONTINUOUS,
    EXPONENTIAL,
    FIXED,
    PRISMATIC,
    REVOLUTE,
    ComplexJoint,
    Joint,
    Mimic,
    limits_of,
)
from ik_node.model.mjcf_compiler import CompiledMjcf, compile_mjcf
from ik_node.model.mjcf_shapes import placed, read_shapes
from ik_node.model.parts import Inertial, ModelParts
from ik_node.spatial import pose_from_rotation, rotation_exp, rotation_log
from ik_node.support.bounds import MAX_NUMBER, check_links, check_name
from ik_node.support.exceptions import ModelError, names

_FREE, _BALL, _SLIDE, _HINGE = range(4)  # mjtJoint
_EQUALITIES = ('connect', 'weld', 'joint', 'tendon', 'flex', 'flexvert', 'flexstrain')  # mjtEq
_JOINT_EQUALITY = _EQUALITIES.index('joint')


def read_mjcf(source: str | PathLike[str]) -> ModelParts:
    """Read a path, or the XML text, which opens no file; see `KinematicTree.from_mjcf`.

    Raises ModelError.
    """
    compiled = compile_mjcf(source)
    return _Reader(compiled).parts(str(source) if compiled.is_file else None)


def read_keyframes(source: str | PathLike[str]) -> tuple[
        str, dict[tuple[str, str], dict[str, str | None]]]:
    """Return an MJCF's name for messages, and its keyframes as the group states of an SRDF.

    They are {('', name): {joint: text}}, `key_<id>` for those without a name, with the values of
    joints other than mimics, rad or m. Raises ModelError for an invalid file.
    """
    compiled = compile_mjcf(source)
    reader, model = _Reader(compiled), compiled.model
    joints = reader.parts().joints
    states: dict[tuple[str, str], dict[str, str | None]] = {}
    for k, name in enumerate(compiled.names('key', model.nkey)):
        values: dict[str, str | None] = {}
        for joint in joints:
            if joint.name not in reader.addresses:
                continue
            first = reader.addresses[joint.name]
            if isinstance(joint, ComplexJoint):
                R = placed(np.zeros(3), model.key_qpos[k, first:first + 4])[:3, :3]
                values |= {part.name: repr(value)
                           for part, value in zip(joint.parts(), rotation_log(R))}
            elif joint.mimic is None:
                values[joint.name] = repr(float(model.key_qpos[k, first]))
        states['', name or f'key_{k}'] = values
    return compiled.what, states


def read_excluded_pairs(source: str | PathLike[str]) -> list[tuple[str, str]]:
    """Return the pairs of links whose contacts an MJCF excludes. Raises ModelError."""
    compiled = compile_mjcf(source)
    links = _Reader(compiled).links
    bodies = [divmod(signature, 2**16) for signature in compiled.model.exclude_signature.tolist()]
    return [(links[first], links[second]) for first, second in bodies
            if first in links and second in links]


class _Reader:
    def __init__(self, source: CompiledMjcf) -> None:
        model = source.model
        self._source, self._model, self._warnings = source, model, list(source.warnings)
        self._check_bounds()
        self._kinds, self._bodies = model.jnt_type.tolist(), model.jnt_bodyid.tolist()
        self._root, kept = self._choose_root()
        own = [name or f'body_{body}' for body, name in enumerate(self._names('body', model.nbody))]
        self._taken: set[str] = set()
        self.links = {body: self._free_name(own[body], '') for body in kept}
        self._joint_names = [
            name or f'joint_{joint}'
            for joint, name in enumerate(self._names('jnt', model.njnt))]
        self._taken_joints = {*self._joint_names}
        self._mimics = self._read_mimics()
        self.addresses: dict[str, int] = {}
        """Name of a moving joint → index of its first value in MuJoCo's qpos."""
        self._joints: list[Joint | ComplexJoint] = []

    def parts(self, source_path: str | None = None) -> ModelParts:
        model, sites = self._model, self._names('site', self._model.nsite)
        site_links = {k: self._free_name(name, '_site') for k, name in enumerate(sites)
                      if name and int(model.site_bodyid[k]) in self.links}
        for body, link in self.links.items():
            if body != self._root:
                self._add_body(body, link)
            for k in np.flatnonzero(model.site_bodyid == body).tolist():
                if k in site_links:
                    self._fix(link, site_links[k], placed(model.site_pos[k], model.site_quat[k]))
        self._warn_of_constraints()
        visuals, collisions = read_shapes(self._source, self.links, self._warnings)
        links = [self.links[self._root], *(joint.child for joint in self._joints)]
        check_links(len(links) + 2 * sum(kind == _BALL for kind in self._kinds))
        for name in (*links, *(joint.name for joint in self._joints)):
            check_name(name, 'a link or a joint')
        title = model.names[:model.names.index(b'\0')].decode(errors='replace')
        return ModelParts(links, self._joints, title, self._warnings, visuals=visuals,
                          inertials=self._inertials(), collisions=collisions,
                          source_path=source_path)

    def _names(self, kind: str, count: int) -> list[str]:
        return self._source.names(kind, count)

    def _check_bounds(self) -> None:
        model = self._model
        for what, values in (('the position of a body', model.body_pos),
                             ('the anchor of a joint', model.jnt_pos),
                             ('the position of a site', model.site_pos),
                             ('the reference of a joint', model.qpos0)):
            if not (np.abs(values) <= MAX_NUMBER).all():
                raise ModelError(f'{self._source.what}: {what} is not within ±{MAX_NUMBER:g}')

    def _choose_root(self) -> tuple[int, list[int]]:
        """Return the body that is the root link, and those that belong to it, in order.

        That is the world where a joint moves something that is fixed to it, and where no body is
        free; else the free body that carries most joints.
        """
        model = self._model
        roots = model.body_rootid.tolist()
        free = {body: 0 for kind, body in zip(self._kinds, self._bodies) if kind == _FREE}
        is_fixed = not free
        for body in self._bodies:
            if roots[body] in free:
                free[roots[body]] += 1
            else:
                is_fixed = True
        root = 0 if is_fixed else max(free, key=lambda body: free[body])
        kept = [body for body in range(model.nbody) if (
            roots[body] not in free if is_fixed else roots[body] == root)]
        lost = [name or f'body_{body}' for body, name in enumerate(self._names('body', model.nbody))
                if body and roots[body] == body and body not in {root, *kept}]
        if lost:
            self._warnings.append(f'left out, since they are not joined to the root: {names(lost)}')
        return root, kept

    def _free_name(self, name: str, more: str) -> str:
        """Return the name of a link; where another has it, with more at its end."""
        while name in self._taken:
            name += more or '_'
            more = ''
        self._taken.add(name)
        return name

    def _add_body(self, body: int, link: str) -> None:
        model = self._model
        parent = self.links[int(model.body_parentid[body])]
        T_parent_joint = placed(model.body_pos[body], model.body_quat[body])
        anchor = np.zeros(3)  # of the joint before, in the body's frame: where its link is
        first, count = int(model.body_jntadr[body]), int(model.body_jntnum[body])
        for joint in range(first, first + count):
            name, kind = self._joint_names[joint], self._kinds[joint]
            at = anchor if kind == _SLIDE else model.jnt_pos[joint]
            T_parent_joint = T_parent_joint @ pose_from_rotation(np.eye(3), at - anchor)
            anchor = at
            is_last = joint == first + count - 1 and not anchor.any()
            child = link if is_last else self._free_name(f'{link}_{name}', '_')
            self.addresses[name] = int(model.jnt_qposadr[joint])
            self._joints.append(self._joint(joint, name, parent, child, T_parent_joint))
            parent, T_parent_joint = child, np.eye(4)
        if parent != link:
            self._fix(parent, link, T_parent_joint @ pose_from_rotation(np.eye(3), -anchor))

    def _fix(self, parent: str, link: str, T_parent_link: np.ndarray) -> None:
        name = f'{link}_fixed'
        while name in self._taken_joints:
            name += '_'
        self._taken_joints.add(name)
        self._joints.append(Joint(name, FIXED, parent, link, T_parent_link, lower=0.0, upper=0.0))

    def _joint(self, joint: int, name: str, parent: str, child: str,
               T_parent_joint: np.ndarray) -> Joint | ComplexJoint:
        model, kind = self._model, self._kinds[joint]
        lower, upper = model.jnt_range[joint].tolist()
        is_limited = bool(model.jnt_limited[joint])
        if kind == _BALL:
            if is_limited:
                self._warnings.append(f'joint {name!r}: its angle is limited to {upper:g} rad; '
                                      'each of its three values is, instead')
            return ComplexJoint(name, BALL, parent, child, T_parent_joint, rotation=EXPONENTIAL,
                                lower=[-upper] * 3 if is_limited else None,
                                upper=[upper] * 3 if is_limited else None)
        axis, ref = model.jnt_axis[joint], model.qpos0[model.jnt_qposadr[joint]]
        if ref:
            T_parent_joint = T_parent_joint @ (
                pose_from_rotation(np.eye(3), -ref * axis) if kind == _SLIDE else
                pose_from_rotation(rotation_exp(-ref * axis)))
        lower, upper = limits_of(lower, upper, f'joint {name!r}') if is_limited else (
            -np.inf, np.inf)
        return Joint(
            name, PRISMATIC if kind == _SLIDE else REVOLUTE if is_limited else CONTINUOUS,
            parent, child, T_parent_joint, axis, lower, upper, mimic=self._mimics.get(name),
            effort=(float(np.abs(model.jnt_actfrcrange[joint]).max())
                    if model.jnt_actfrclimited[joint] else np.inf),
            armature=float(model.dof_armature[model.jnt_dofadr[joint]]))

    def _read_mimics(self) -> dict[str, Mimic]:
        """Return the mimics of linear equalities: q1 − ref1 = a0 + a1 (q2 − ref2)."""
        model, found = self._model, dict[str, Mimic]()
        for k in self._equalities(lambda kind: kind == _JOINT_EQUALITY):
            first, second = int(model.eq_obj1id[k]), int(model.eq_obj2id[k])
            name, (a0, a1) = self._joint_names[first], model.eq_data[k, :2].tolist()
            source: Any = self._joint_names[second] if second >= 0 else None
            followed = source
            while followed in found and followed != name:
                followed = found[followed].joint
            if not ({*model.jnt_bodyid[[first, second]].tolist()} <= self.links.keys() and source
                    ) or model.eq_data[k, 2:5].any() or name in found or followed == name:
                self._warnings.append(f'joint {name!r}: its equality with '
                                      f'{"a constant" if source is None else repr(source)} is '
                                      'ignored: it is not linear, of other bodies, or the second')
                continue
            ref1, ref2 = (float(model.qpos0[model.jnt_qposadr[one]]) for one in (first, second))
            found[name] = Mimic(source, a1, ref1 + a0 - a1 * ref2)
        return found

    def _equalities(self, wanted: Callable[[int], bool]) -> list[int]:
        """Return the equality constraints of some kinds that hold."""
        return [k for k, (kind, active) in enumerate(zip(
            self._model.eq_type.tolist(), self._model.eq_active0.tolist()))
            if active and wanted(kind)]

    def _warn_of_constraints(self) -> None:
        """Warn of what couples joints otherwise than the joints of a tree."""
        model, eq_names = self._model, self._names('eq', self._model.neq)
        found = [f'equality {eq_names[k] or k!r} ({(*_EQUALITIES, "other")[kind]})'
                 for k in self._equalities(lambda kind: kind != _JOINT_EQUALITY)
                 for kind in [min(int(model.eq_type[k]), len(_EQUALITIES))]]
        found += [f'the range of the tendon {name or k!r}' for k, name in enumerate(
            self._names('tendon', model.ntendon)) if model.tendon_limited[k]]
        found += [f'flex {name or k!r}' for k, name in enumerate(self._names('flex', model.nflex))]
        if found:
            self._warnings.append('not represented, so joints move as if without: '
                                  + ', '.join(found[:20]) + ', …' * (len(found) > 20))

    def _inertials(self) -> dict[str, Inertial]:
        model, files = self._model, self._source.files
        unread = {int(model.geom_bodyid[k]) for k in np.flatnonzero(model.geom_type == 7).tolist()
                  if self._names('mesh', model.nmesh)[model.geom_dataid[k]] in files
                  } & self.links.keys() - self._source.weighed if files else set[int]()
        if unread:
            self._warnings.append('links whose masses come from meshes that are not opened have '
                                  f'none: {names(self.links[one] for one in sorted(unread))}')
        found = {}
        for body, link in self.links.items():
            mass, moments = float(model.body_mass[body]), model.body_inertia[body]
            if body not in unread and (mass or moments.any()):
                T = placed(model.body_ipos[body], model.body_iquat[body])
                inertia = T[:3, :3] * moments @ T[:3, :3].T
                found[link] = Inertial(mass, T[:3, 3], 0.5 * (inertia + inertia.T))
        return found
