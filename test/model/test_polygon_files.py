import struct

import numpy as np
import pytest

pytest.importorskip('trimesh', reason='trimesh is not installed (make test brings it)')

from ik_node.model.geometry import Mesh
from ik_node.model.meshes import Meshes, Places

# A house of 2 m by 1 m: a box of 1 m with a roof of 0.5 m.
ENDS = [(0, 0), (1, 0), (1, 1), (0.5, 1.5), (0, 1)]
POINTS = [(x, y, z) for x in (0.0, 2.0) for y, z in ENDS]
FACES = [[4, 3, 2, 1, 0], [5, 6, 7, 8, 9], [0, 1, 6], [0, 6, 5], [1, 2, 7, 6], [2, 3, 8, 7],
         [3, 4, 9, 8], [4, 0, 5, 9]]
VOLUME = 2.0 * 1.25


def off(head):
    """Return the house as an OFF file that begins with a head."""
    lines = [*(' '.join(map(str, point)) for point in POINTS),
             *(f'{len(face)} {" ".join(map(str, face))} 255 0 0' for face in FACES)]
    return f'{head}{len(POINTS)} {len(FACES)} 0\n\n'.encode() + '\n'.join(lines).encode()


def ply(order, name, end='\n'):
    """Return the house as a binary PLY file, with colours, and a number beside each polygon."""
    header = ['ply', f'format binary_{name}_endian 1.0', 'comment a house',
              f'element vertex {len(POINTS)}', 'property uchar red',
              *(f'property double {axis}' for axis in 'xyz'), f'element face {len(FACES)}',
              'property list uchar uint vertex_indices', 'property short part', 'end_header', '']
    return end.join(header).encode() + b''.join(
        struct.pack(f'{order}B3d', 9, *point) for point in POINTS) + b''.join(
        struct.pack(f'{order}B{len(face)}Ih', len(face), *face, -1) for face in FACES)


@pytest.mark.parametrize(('name', 'content'), [
    ('plain.off', off('OFF\n')), ('comment.off', off('OFF # a house\n# of ten points\n')),
    ('little.ply', ply('<', 'little')), ('big.ply', ply('>', 'big')),
    ('lines.ply', ply('<', 'little', '\r\n'))])
def test_a_polygon_is_a_fan_of_triangles(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    meshes = Meshes(Places([tmp_path]))
    mesh = meshes.load(Mesh(str(tmp_path / name)))
    meshes.close()
    faces = np.asarray(mesh.faces)
    corners = np.asarray(mesh.vertices)[faces]
    assert len(faces) == sum(len(face) - 2 for face in FACES)
    assert np.linalg.det(corners).sum() / 6.0 == pytest.approx(VOLUME)
    assert np.ptp(corners.reshape(-1, 3), axis=0).tolist() == [2.0, 1.0, 1.5]
