"""Malformed and hostile inputs of the node, as strategies of hypothesis.

Each is one of the tuples below; what it is made of is drawn small, so that it is read and shrunk
quickly, and grown to its size only where it is given to the node.
"""

from typing import Any, NamedTuple
from xml.etree import ElementTree

from hypothesis import strategies as st

from hostile_texts import BOMB, chain


class Numbers(NamedTuple):
    """A goal: its frame, its time, and poses of seven numbers; of a point three are taken."""

    topic: str
    frame: str
    stamp: tuple[int, int]
    poses: list
    repeat: int = 1


class Parameters(NamedTuple):
    """Parameters set together: (name, type by number, value)."""

    values: list


class Description(NamedTuple):
    text: str


class Joints(NamedTuple):
    """Joint states of somebody else."""

    names: list
    positions: list


class File(NamedTuple):
    parameter: str
    suffix: str
    data: bytes


NAN, INF = float('nan'), float('inf')
NUMBERS = st.one_of(
    st.sampled_from([NAN, INF, -INF, 0.0, -0.0, 5e-324, 1e-310, 1e308, -1e308, 1.79e308,
                     1e154, 1e9, 1e10, 1.0, 3.141592653589793]),
    st.floats(), st.floats(-2.0, 2.0))
WORDS = st.one_of(
    st.sampled_from(['', '/', 'base_link', 'tool0', 'link_3', 'nowhere', '../../etc/passwd', '\0',
                     'a' * 300, 'é' * 5000, '🦾', '${1/0}', '%s%n', '/dev/zero', '/etc/passwd',
                     '/', 'file:///etc/passwd', 'none', 'auto', 'nan', 'joint_states',
                     '/joint_states', '~/a', '{node}/a', 'b/c', 'd_1', 'goal_pose']),
    st.text(max_size=20))
STAMPS = st.tuples(st.integers(-2**31, 2**31 - 1), st.integers(0, 2**32 - 1))
POSES = st.lists(NUMBERS, min_size=7, max_size=7)


def goals(topics=('goal_pose', 'goal_point', 'goal_path')):
    """Return poses, points and paths, up to far too many waypoints."""
    return st.builds(
        Numbers, st.sampled_from(topics), st.one_of(st.just(''), WORDS), STAMPS,
        st.lists(POSES, max_size=4), st.sampled_from([1, 1, 1, 1, 1, 1, 1, 1, 1, 5000]))


def joints(names):
    """Return joint states: some of the names, some foreign, and any number of numbers."""
    return st.builds(Joints, st.lists(st.one_of(st.sampled_from(names), WORDS), max_size=8),
                     st.lists(NUMBERS, max_size=8))


INTEGERS = st.one_of(st.integers(-2**63, 2**63 - 1), st.integers(-5, 5))
# By the numbers of rcl_interfaces/ParameterType; beyond 9 there is none.
VALUES = st.one_of(
    st.tuples(st.just(0), st.none()), st.tuples(st.just(1), st.booleans()),
    st.tuples(st.just(2), INTEGERS), st.tuples(st.just(3), NUMBERS),
    st.tuples(st.just(4), WORDS), st.tuples(st.just(5), st.binary(max_size=8)),
    st.tuples(st.just(6), st.lists(st.booleans(), max_size=8)),
    st.tuples(st.just(7), st.lists(INTEGERS, max_size=8)),
    st.tuples(st.just(8), st.lists(NUMBERS, max_size=8)),
    st.tuples(st.just(8), st.integers(6, 20_000).map(lambda n: [0.5] * n)),
    st.tuples(st.just(9), st.lists(WORDS, max_size=8)),
    st.tuples(st.integers(10, 255), st.none()))


def parameters(names):
    """Return values of any type for one parameter, or for a few at once."""
    one = st.tuples(st.sampled_from(names), VALUES).map(lambda pair: (pair[0], *pair[1]))
    return st.lists(one, min_size=1, max_size=3).map(Parameters)


SPOILT = st.one_of(
    NUMBERS.map(repr), WORDS, st.integers().map(str),
    st.sampled_from(['1e309', '0 0', '0 0 0 0', '1,5', '0x10', '- 1', '1_0', '9' * 400, '&bomb;',
                     '${xacro.load_yaml("/etc/passwd")}', '$(find nowhere)', 'joint_1', 'link_1']),
    st.lists(NUMBERS, min_size=3, max_size=3).map(lambda three: ' '.join(map(repr, three))))
HEADS = ['', '<?xml version="1.0"?>\n', '<?xml version="1.0" encoding="utf-16"?>',
         '<?xml version="1.1" encoding="idna"?>', BOMB,
         '<!DOCTYPE robot SYSTEM "file:///etc/passwd">',
         '<!DOCTYPE robot [<!ENTITY bomb SYSTEM "file:///etc/passwd">]>',
         '<!DOCTYPE robot [<!ENTITY % far SYSTEM "http://127.0.0.1:9/x.dtd"> %far;]>',
         '<!-- -->' * 100, '\ufeff', '<?include /etc/passwd?>', '/etc/passwd', '../arm.xacro']
INSIDES = ['<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="/etc/passwd" '
           'parse="text"/>',
           '<xacro:include xmlns:xacro="http://www.ros.org/wiki/xacro" filename="/etc/passwd"/>',
           '&bomb;', '&i;', '<link name="${2**999999}"/>', '<link/>', '<joint name="j"/>',
           '<a>' * 5000 + '</a>' * 5000, '<a/>' * 200_000, '<link name="base_link"/>',
           '<gazebo><plugin filename="/etc/passwd"/></gazebo>', '<![CDATA[<joint>]]>',
           '<link name="x"><visual><geometry><mesh filename="file:///etc/passwd" scale="nan"/>'
           '</geometry></visual></link>']


@st.composite
def descriptions(draw, text):
    """Return a URDF that began as `text`, spoilt in several ways."""
    robot = ElementTree.fromstring(text)
    for _ in range(draw(st.integers(0, 4))):
        _spoil(draw, robot)
    spoilt = ElementTree.tostring(robot, encoding='unicode')
    if draw(st.booleans()):
        head, _, tail = spoilt.partition('>')
        if draw(st.booleans()):
            spoilt = draw(st.sampled_from(HEADS)) + spoilt
        else:
            spoilt = f'{head}>{draw(st.sampled_from(INSIDES))}{tail}'
    if draw(st.integers(0, 9)) == 0:
        spoilt = spoilt[:draw(st.integers(0, len(spoilt)))] + draw(WORDS)
    return spoilt


def _spoil(draw, robot):
    """Change one element: a value, a name, its place, or whether it is there."""
    elements = list(robot.iter())
    element = elements[draw(st.integers(0, len(elements) - 1))]
    parent = elements[draw(st.integers(0, len(elements) - 1))]
    how = draw(st.integers(0, 5))
    if how <= 2 and element.attrib:
        element.set(draw(st.sampled_from(sorted(element.attrib))), draw(SPOILT).replace('\0', '?'))
    elif how == 3 and len(element):
        element.remove(element[draw(st.integers(0, len(element) - 1))])
    elif how == 4 and element is not robot:
        parent.append(ElementTree.fromstring(ElementTree.tostring(element)))
    elif 'link' in element.attrib:  # cycles, two parents, no root
        names = [link.get('name', '') for link in robot.iter('link')]
        element.set('link', draw(st.sampled_from(names or [''])))


YAML_PIECES = ['&a ', '*a', '&a [*a]', '[' * 200, '{' * 200, '!!python/object/apply:os.system [ls]',
               '!!binary aaa', '<<: *a', '? [1]\n: 2', '9' * 5000, '1e400', '.nan', '.inf',
               '2001-99-99', '!!float x', '\t', '---\n', '%YAML 9.9\n', '\0', '\ud7ff', '1:60:60',
               'a: &x [z,z,z,z,z,z,z,z,z]\n' + ''.join(
                   f'{n}: &{n} [{",".join([f"*{m}"] * 9)}]\n' for m, n in zip('xbcdefgh',
                                                                             'bcdefghi'))]
YAML_WORDS = st.one_of(NUMBERS.map(repr), WORDS, st.sampled_from(YAML_PIECES),
                       st.sampled_from(['revolute', 'prismatic', 'fixed', 'deg', '[]', '{}', '~']))


@st.composite
def yaml_texts(draw, text):
    """Return a YAML text that began as `text`, with values, lines and pieces exchanged."""
    lines = text.splitlines()
    for _ in range(draw(st.integers(0, 3))):
        k = draw(st.integers(0, len(lines) - 1))
        word, how = draw(YAML_WORDS), draw(st.integers(0, 4))
        if how == 0:
            lines[k] = word
        elif how == 1:
            lines.insert(k, lines[draw(st.integers(0, len(lines) - 1))])
        else:
            parts = lines[k].split(':')
            at = draw(st.integers(0, len(parts) - 1))
            parts[at] = f' {word}' + ('}' if parts[at].endswith('}') else '')
            lines[k] = ':'.join(parts)
    return '\n'.join(lines)


def files(urdf, rows, poses, srdf):
    """Return files for the parameters that name one, each spoilt from a good text."""
    def encoded(texts):
        return texts.map(lambda text: text.encode(errors='replace'))
    return st.one_of(
        st.builds(File, st.sampled_from(['model_path', 'urdf_path']),
                  st.sampled_from(['.urdf', '.xacro', '']),
                  encoded(descriptions(urdf))),
        st.builds(File, st.just('dh_path'), st.just('.yaml'), encoded(yaml_texts(rows))),
        st.builds(File, st.just('poses'), st.just('.yaml'), encoded(yaml_texts(poses))),
        st.builds(File, st.just('poses'), st.just('.srdf'), encoded(descriptions(srdf))),
        st.builds(File, st.sampled_from(['model_path', 'urdf_path', 'dh_path', 'poses']),
                  st.sampled_from(['.urdf', '.yaml', '.srdf', '']), st.binary(max_size=40)))


def anything(node: Any):
    """Return inputs of every kind that a node takes; node: a `HostileNode`."""
    return st.one_of(
        goals(), goals(), parameters(node.parameter_names), parameters(node.parameter_names),
        st.one_of(*[descriptions(node.urdf)] * 9, st.sampled_from([3, 199, 300, 3000]).map(chain)
                  ).map(Description),
        joints(node.joint_names), files(node.urdf, node.rows, node.pose_texts, node.srdf))
