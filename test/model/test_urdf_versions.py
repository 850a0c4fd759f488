"""URDF 1.1 and 1.2: quaternions, limits of acceleration and jerk, capsules, default namespaces.

Poses are compared with Pinocchio's, which reads URDF by urdfdom, as robot_state_publisher does.
"""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import robots
from ik_node import KinematicTree, ModelError
from ik_node.model.geometry import Capsule

LIMIT = '<limit lower="-1" upper="1" velocity="3" effort="2"/>'


def arm(origin='', limit=LIMIT, kind='revolute', link='', attributes='version="1.2"'):
    return (f'<robot name="r" {attributes}><link name="a"/><link name="b">{link}</link>'
            f'<joint name="j" type="{kind}"><parent link="a"/><child link="b"/>{origin}'
            f'<axis xyz="0 0 1"/>{limit}</joint></robot>')


def load(*arguments, **named):
    return KinematicTree.from_urdf(arm(*arguments, **named))


def origin_of(rng):
    """Return a random origin: a quaternion of any length, half turns too, or rpy, or neither."""
    xyz = ' '.join(map(repr, rng.uniform(-0.5, 0.5, 3).tolist()))
    kind = rng.integers(6)
    if kind < 3:
        quaternion = rng.normal(size=4) * 10.0 ** rng.integers(-3, 4)
    else:
        quaternion = [(0, 0, 0, -2), (0, 3, 0, 0), (0.5, -0.5, 0.5, 0.5)][rng.integers(3)]
    rotation = f'quat_xyzw="{" ".join(repr(float(value)) for value in quaternion)}"'
    if kind == 4:
        rotation = f'rpy="{" ".join(map(repr, rng.uniform(-4, 4, 3).tolist()))}"'
    if kind == 5:
        rotation = ''
    return f'<origin xyz="{xyz}" {rotation}/>'


def generated(seed, links=8):
    """Return a robot of URDF 1.2 with an origin on every joint, visual, collision and inertial."""
    rng = np.random.default_rng(seed)
    parts = []
    for k in range(links):
        numbers = ' '.join(f'{key}="{value!r}"' for key, value in zip(
            ('ixx', 'iyy', 'izz', 'ixy', 'ixz', 'iyz'),
            [*rng.uniform(2.0, 3.0, 3).tolist(), *rng.uniform(-0.3, 0.3, 3).tolist()]))
        shapes = ('<box size="0.1 0.2 0.3"/>', '<capsule radius="0.1" length="0.4"/>')
        parts.append(f'<link name="l{k}"><inertial>{origin_of(rng)}<mass value="{k + 1}"/>'
                     f'<inertia {numbers}/></inertial>'
                     + ''.join(f'<{tag}>{origin_of(rng)}<geometry>{shapes[k % 2]}</geometry>'
                               f'</{tag}>' for tag in ('visual', 'collision')) + '</link>')
        if k:
            kind = ('revolute', 'prismatic', 'continuous', 'fixed')[rng.integers(4) if k > 1 else 0]
            bounds = 'lower="-1" upper="1" ' if kind in ('revolute', 'prismatic') else ''
            parts.append(
                f'<joint name="j{k}" type="{kind}"><parent link="l{rng.integers(k)}"/>'
                f'<child link="l{k}"/>{origin_of(rng)}<axis xyz="0 0.6 0.8"/>'
                f'<limit {bounds}acceleration="{k}" deceleration="{k / 3!r}" jerk="{k + 0.1!r}"/>'
                '</joint>')
    return f'<robot name="r" version="1.2">{"".join(parts)}</robot>'


@pytest.mark.parametrize('seed', range(25))
def test_every_origin_is_the_one_pinocchio_reads(seed, tmp_path):
    pinocchio = pytest.importorskip('pinocchio')
    from peer_pinocchio import Peer
    text = generated(seed)
    file = tmp_path / 'robot.urdf'
    file.write_text(text)
    tree = KinematicTree.from_urdf(text)
    assert not tree.warnings
    body = tree.body()
    peer = Peer(file, body)
    q = np.random.default_rng(seed).uniform(-1.0, 1.0, body.n_joints)
    theirs, ours = peer.forward(q), body.forward(q)
    for link in tree.links:
        assert ours[link] == pytest.approx(theirs[link], abs=1e-12)
    for kind, shapes in ((pinocchio.GeometryType.VISUAL, tree.visuals),
                         (pinocchio.GeometryType.COLLISION, tree.collisions)):
        geometry = pinocchio.buildGeomFromUrdfString(peer.model, text, kind)
        data = geometry.createData()
        pinocchio.updateGeometryPlacements(peer.model, peer.data, geometry, data)
        assert geometry.ngeoms == len(tree.links)
        for item, T_root_shape in zip(geometry.geometryObjects, data.oMg):
            link = item.name.removesuffix('_0')
            assert ours[link] @ shapes[link][0].placement == pytest.approx(
                T_root_shape.homogeneous, abs=1e-12)
            if isinstance(shapes[link][0].shape, Capsule):
                assert (item.geometry.radius, item.geometry.halfLength) == (0.1, 0.2)
    assert body.mass_matrix(q) == pytest.approx(peer.mass_matrix(q), abs=1e-10)
    assert body.center_of_mass(q) == pytest.approx(peer.center_of_mass(q)[0], abs=1e-12)


@pytest.mark.parametrize('seed', range(25))
def test_what_is_written_is_read_again(seed):
    tree = KinematicTree.from_urdf(generated(seed))
    again = KinematicTree.from_urdf(tree.to_urdf())
    assert not again.warnings
    for name, joint in tree.joints.items():
        assert again.joints[name].placement == pytest.approx(joint.placement, abs=1e-12)
        if joint.moves:
            for key in ('acceleration', 'deceleration', 'jerk', 'lower', 'upper', 'velocity'):
                assert getattr(again.joints[name], key) == getattr(joint, key)
    for link in tree.links:
        for ours, theirs in ((tree.visuals, again.visuals), (tree.collisions, again.collisions)):
            assert theirs[link][0].placement == pytest.approx(ours[link][0].placement, abs=1e-12)
            assert type(theirs[link][0].shape) is type(ours[link][0].shape)
            assert theirs[link][0].shape == ours[link][0].shape
        assert again.inertials[link].center == pytest.approx(tree.inertials[link].center, abs=1e-12)
        assert again.inertials[link].inertia == pytest.approx(tree.inertials[link].inertia,
                                                              abs=1e-12)


@pytest.mark.parametrize(('text', 'version'), [
    (arm(), None), (arm('<origin quat_xyzw="1 0 0 1"/>'), None),
    (arm(link='<visual><geometry><capsule radius="1" length="2"/></geometry></visual>'), '1.1'),
    (arm(limit='<limit lower="0" upper="1" jerk="9"/>'), '1.2')])
def test_the_version_written_is_the_first_with_all_that_is_written(text, version):
    written = KinematicTree.from_urdf(text).to_urdf()
    assert ('version=' in written.split('<robot')[1].split('>')[0]) == (version is not None)
    assert version is None or f'version="{version}"' in written
    assert 'quat_xyzw' not in written


@pytest.mark.parametrize('kind', ['revolute', 'fixed', 'floating', 'planar'])
def test_the_origin_of_every_type_of_joint_may_be_a_quaternion(kind):
    tree = load('<origin xyz="1 2 3" quat_xyzw="0.2 -0.4 0.6 0.8"/>', kind=kind)
    T = tree.forward()['b']
    assert T[:3, :3] == pytest.approx(Rotation.from_quat([0.2, -0.4, 0.6, 0.8]).as_matrix())
    assert T[:3, 3].tolist() == [1.0, 2.0, 3.0]


@pytest.mark.parametrize('kind', ['revolute', 'fixed', 'floating'])
@pytest.mark.parametrize(('rotation', 'words'), [
    ('rpy="0 0 0" quat_xyzw="0 0 0 1"', "joint 'j': its origin has both rpy and quat_xyzw"),
    ('quat_xyzw="0 0 0 0"', "joint 'j': its origin quat_xyzw: .* has no direction"),
    ('quat_xyzw="nan 0 0 1"', "joint 'j': its origin quat_xyzw=.* four numbers, finite"),
    ('quat_xyzw="0 0 1"', "joint 'j': its origin quat_xyzw=.* four numbers"),
    ('quat_xyzw="0 0 0 0 1"', "joint 'j': its origin quat_xyzw=.* four numbers"),
    ('quat_xyzw=""', "joint 'j': its origin quat_xyzw=.* four numbers")])
def test_an_origin_that_is_no_pose_is_refused_with_the_name_of_its_joint(kind, rotation, words):
    with pytest.raises(ModelError, match=words):
        load(f'<origin {rotation}/>', kind=kind)


@pytest.mark.parametrize(('part', 'words'), [
    ('<visual>{}<geometry><box size="1 1 1"/></geometry></visual>', 'a visual is skipped'),
    ('<collision>{}<geometry><box size="1 1 1"/></geometry></collision>',
     'a collision shape is skipped'),
    ('<inertial>{}<mass value="1"/></inertial>', 'its inertial is skipped')])
@pytest.mark.parametrize('rotation', ['rpy="0 0 0" quat_xyzw="0 0 0 1"', 'quat_xyzw="0 0 0 0"'])
def test_a_part_of_a_link_whose_origin_is_no_pose_is_skipped_with_a_warning(part, words, rotation):
    tree = load(link=part.format(f'<origin {rotation}/>'))
    assert not tree.visuals
    assert not tree.collisions
    assert not tree.inertials
    assert [warning.split(': its origin')[0] for warning in tree.warnings
            if 'set to 0' not in warning] == [f"link 'b': {words}"]


@pytest.mark.parametrize('attributes', ['', 'version="1.0"'])
def test_what_version_1_0_has_not_is_ignored_with_a_warning_as_urdfdom_does(attributes):
    tree = load('<origin rpy="0 0 1" quat_xyzw="0 0 0 0"/>',
                '<limit lower="-1" upper="1" acceleration="5" jerk="-1"/>',
                link='<visual><origin quat_xyzw="1 0 0 1"/><geometry><sphere radius="1"/>'
                     '</geometry></visual>', attributes=attributes)
    assert tree.joints['j'].placement[:2, 0] == pytest.approx([np.cos(1.0), np.sin(1.0)])
    assert np.isinf(tree.joints['j'].acceleration)
    assert (tree.visuals['b'][0].placement == np.eye(4)).all()
    assert tree.warnings == (
        "joint 'j': quat_xyzw is ignored; it needs <robot version=\"1.1\">",
        "link 'b': quat_xyzw is ignored; it needs <robot version=\"1.1\">",
        "joint 'j': acceleration is ignored; it needs <robot version=\"1.2\">",
        "joint 'j': jerk is ignored; it needs <robot version=\"1.2\">")


@pytest.mark.parametrize(('version', 'words'), [
    ('2.0', 'the version 2.0 of the description is not known; read as 1.2'),
    ('1.2~pre', "the version '1.2~pre' of the description is not of the form x.y; read as 1.0")])
def test_an_unknown_version_is_read_with_a_warning(version, words):
    tree = load('<origin xyz="1 0 0"/>', attributes=f'version="{version}"')
    assert tree.warnings == (words,)
    assert tree.forward()['b'][0, 3] == 1.0


@pytest.mark.parametrize('size', ['radius="-1" length="1"', 'radius="1" length="-1"'])
def test_a_capsule_of_negative_size_is_skipped_with_a_warning(size):
    tree = load(link=f'<visual><geometry><capsule {size}/></geometry></visual>')
    assert not tree.visuals
    assert 'of a capsule must not be negative' in tree.warnings[0]


def test_limits_of_acceleration_and_jerk_are_read():
    joint = load(limit='<limit lower="-1" upper="1" acceleration="5" deceleration="4" jerk="60"/>'
                 ).joints['j']
    assert (joint.acceleration, joint.deceleration, joint.jerk) == (5.0, 4.0, 60.0)
    joint = load(limit='<limit lower="-1" upper="1" acceleration="5"/>').joints['j']
    assert (joint.acceleration, joint.deceleration, joint.jerk) == (5.0, 5.0, np.inf)


@pytest.mark.parametrize('kind', ['planar', 'floating'])
def test_such_limits_of_a_joint_of_several_degrees_of_freedom_are_ignored_with_a_warning(kind):
    tree = load(limit='<limit jerk="5"/>', kind=kind)
    assert f"joint 'j' is {kind}: its limits of acceleration and jerk are ignored" in tree.warnings


@pytest.mark.parametrize('key', ['acceleration', 'deceleration', 'jerk'])
@pytest.mark.parametrize('value', ['-1', 'nan', 'fast', '', '1_0'])
def test_a_limit_that_is_none_is_refused_with_the_name_of_its_joint(key, value):
    with pytest.raises(ModelError, match=f"joint 'j': its {key} must "):
        load(limit=f'<limit lower="-1" upper="1" {key}="{value}"/>')


def test_version_1_2_needs_both_limits_or_none():
    with pytest.raises(ModelError, match="joint 'j' has only one of the limits"):
        load(limit='<limit upper="1"/>')
    assert load(limit='<limit upper="1"/>', attributes='').joints['j'].lower == 0.0


@pytest.mark.parametrize('number', ['1_0', '１', '1\u00a0', '0x1', '', '1 2'])
@pytest.mark.parametrize('place', [
    '<origin xyz="{} 0 0"/>', '<origin rpy="{} 0 0"/>', '<origin quat_xyzw="{} 0 0 1"/>',
    '<axis xyz="{} 0 0"/>', '<limit lower="-9" upper="{}"/>', '<limit lower="{}" upper="99"/>',
    '<mimic joint="j" multiplier="{}"/>', '<mimic joint="j" offset="{}"/>'])
def test_numbers_of_joints_are_those_of_c(number, place):
    text = robots.robot(robots.joint('j', 'continuous', 'base', 'b'),
                        '<link name="c"/><joint name="k" type="revolute"><parent link="base"/>'
                        f'<child link="c"/>{place.format(number)}</joint>').replace(
                            '<robot ', '<robot version="1.2" ')
    with pytest.raises(ModelError, match="joint 'k'"):
        KinematicTree.from_urdf(text)


@pytest.mark.parametrize('number', ['1_0', '１'])
@pytest.mark.parametrize('part', [
    '<visual><geometry><sphere radius="{}"/></geometry></visual>',
    '<collision><origin xyz="0 {} 0"/><geometry><sphere radius="1"/></geometry></collision>',
    '<inertial><mass value="{}"/></inertial>'])
def test_numbers_of_links_are_those_of_c(number, part):
    assert any('is skipped' in warning for warning in load(link=part.format(number)).warnings)


def test_a_default_namespace_is_read_as_if_it_were_not_there():
    origin = '<origin xyz="1 0 0" quat_xyzw="0 0 1 1"/>'
    text = arm(origin, attributes='version="1.1" xmlns="http://www.ros.org"',
               link='<visual><geometry><sphere radius="1"/></geometry></visual>')
    tree = KinematicTree.from_urdf(text)
    assert (tree.forward()['b'] == load(origin).forward()['b']).all()
    assert list(tree.visuals) == ['b']
    assert tree.description == text
