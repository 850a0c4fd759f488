import struct

import numpy as np
import pytest

from ik_node import IkError
from ik_node.spatial import matrix_from_rpy
from ik_node.workspace.goals import read_goals

POINTS = [(0.1, 0.2, 0.3, 0.0, 0.0, 2.0), (0.4, -0.5, 0.6, 0.0, -1.0, 0.0)]
PLY = ('ply\nformat {} 1.0\ncomment made by hand\nelement vertex 2\n' + ''.join(
    f'property {{}} {name}\n' for name in ('x', 'y', 'z', 'nx', 'ny', 'nz'))
    + 'element face 1\nproperty list uchar uint vertex_indices\nend_header\n')
PCD = ('# .PCD v0.7\nVERSION 0.7\nFIELDS x y z normal_x normal_y normal_z curvature\n'
       'SIZE 4 4 4 4 4 4 4\nTYPE F F F F F F F\nCOUNT 1 1 1 1 1 1 1\nWIDTH 2\nHEIGHT 1\n'
       'VIEWPOINT 0 0 0 1 0 0 0\nPOINTS 2\nDATA {}\n')


def save(tmp_path, name, content):
    file = tmp_path / name
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return file


def text(rows):
    return '\n'.join(' '.join(map(str, row)) for row in rows) + '\n'


@pytest.mark.parametrize(('name', 'content'), [
    ('a.csv', 'x, y, z, nx, ny, nz, note\n' + '\n'.join(
        ','.join(map(str, (*row, 'weld'))) for row in POINTS)),
    ('a.yaml', '\n'.join(f'- {{position: {list(row[:3])}, normal: {list(row[3:])}}}'
                         for row in POINTS)),
    ('a.ply', PLY.format('ascii', *['float'] * 6) + text(POINTS) + '3 0 1 1\n'),
    ('a.PLY', PLY.format('binary_little_endian', *['double'] * 6).encode()
     + struct.pack('<12d', *sum(POINTS, ())) + b'\x03\0\0\0\0'),
    ('b.ply', PLY.format('binary_big_endian', *['float32'] * 6).encode()
     + struct.pack('>12f', *sum(POINTS, ()))),
    ('a.pcd', PCD.format('ascii') + text((*row, 0) for row in POINTS)),
    ('b.pcd', PCD.format('binary').encode()
     + struct.pack('<14f', *POINTS[0], 0.0, *POINTS[1], 0.0))])
def test_the_tip_points_against_the_normals_of_a_file(tmp_path, name, content):
    goals = read_goals(save(tmp_path, name, content))
    assert goals.free_turn
    assert goals.poses[:, :3, 3] == pytest.approx(np.array(POINTS)[:, :3], abs=1e-7)
    assert goals.poses[:, :3, 2] == pytest.approx(np.array([(0, 0, -1), (0, 1, 0)]), abs=1e-7)
    turned = goals.turned(6)
    assert turned.shape == (2, 6, 4, 4)
    assert np.ptp(turned[:, :, :3, 2:], axis=1) == pytest.approx(0.0, abs=1e-12)
    assert turned[0, 0, :3, 0] @ turned[0, 1, :3, 0] == pytest.approx(0.5)


def test_orientations_are_quaternions_or_angles(tmp_path):
    by_angle = read_goals(save(tmp_path, 'a.csv', 'x,y,z,roll,pitch,yaw\n1,2,3,0.1,0.2,0.3\n'))
    assert by_angle.poses[0, :3, :3] == pytest.approx(matrix_from_rpy(0.1, 0.2, 0.3))
    listed = ('header: {frame_id: world}\nposes:\n- position: {x: 1.0, y: 2.0, z: 3.0}\n'
              '  orientation: {x: 0.0, y: 0.0, z: 2.0, w: 2.0}\n')
    printed = read_goals(save(tmp_path, 'a.yaml', listed))
    assert printed.poses[0, :3, :3] == pytest.approx(matrix_from_rpy(0.0, 0.0, np.pi / 2))
    assert not printed.free_turn
    assert printed.turned(6).shape == (1, 1, 4, 4)


@pytest.mark.parametrize(('name', 'content', 'words'), [
    ('a.csv', 'x,y,z,nx,ny,nz\n1,2,3,0,0,1\n1,nan,3,0,0,1\n', 'goal 2 has a number that is'),
    ('a.csv', 'x,y,z,nx,ny,nz\n1,2,3,0,0,0\n', 'goal 1: its normal has no direction'),
    ('a.csv', 'x,y,z,qx,qy,qz,qw\n1,2,3,0,0,0,0\n', 'goal 1: .*has no direction'),
    ('a.csv', 'x,y,z\n1,2,3\n', 'goals need'), ('a.csv', '', 'goals need'),
    ('a.csv', 'x,y,z,nx,ny,nz\n', 'has 0 goals'), ('a.csv', 'x,y,z,nx\n1,2\n', 'columns'),
    ('a.csv', 'x,y,z,nx,ny,nz\n1,2,three,0,0,1\n', 'three'),
    ('a.csv', b'x,y\rz,nx\n1,2\r\n\r3', 'cannot read'),
    ('a.txt', 'x', "must be a file '.csv', '.yaml'"), ('a.yaml', 'goals: 3', 'no list'),
    ('a.yaml', '- {position: [1, 2]}', 'goal 1: position must be 3 numbers'),
    ('a.yaml', '- {position: [1, 2, a], normal: [0, 0, 1]}', 'cannot read'),
    ('a.yaml', '- 3', 'goals need'),
    ('a.pcd', PCD.format('binary_compressed') + 'abc', 'compressed'),
    ('a.pcd', PCD.format('ascii') + '1 2 3\n', '2 points of 7 numbers'),
    ('a.pcd', PCD.format('binary') + '1 2 3\n', 'cannot read'), ('a.pcd', 'FIELDS x', 'no header'),
    ('a.pcd', 'FIELDS x\nDATA ascii\n', 'cannot read'),
    ('a.ply', 'ply\nend_header\n', 'cannot read'),
    ('a.ply', PLY.format('ascii', *['cow'] * 6), 'cannot read')])
def test_what_is_no_goal_is_refused_with_its_number(tmp_path, name, content, words):
    with pytest.raises(IkError, match=words):
        read_goals(save(tmp_path, name, content))


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(IkError, match='cannot read the goals'):
        read_goals(tmp_path / 'none.csv')
