"""PLY and OFF files of polygons that differ in their number of corners, as Blender writes them.

trimesh reads neither binary PLY nor OFF files with such.
"""

import re
from typing import Any

import numpy as np
import trimesh

_TYPES = {'char': 'i1', 'int8': 'i1', 'uchar': 'u1', 'uint8': 'u1', 'short': 'i2', 'int16': 'i2',
          'ushort': 'u2', 'uint16': 'u2', 'int': 'i4', 'int32': 'i4', 'uint': 'u4', 'uint32': 'u4',
          'float': 'f4', 'float32': 'f4', 'double': 'f8', 'float64': 'f8'}
_CORNERS = ('vertex_indices', 'vertex_index')


def read_polygons(content: bytes, kind: str) -> trimesh.Trimesh:
    """Return the mesh of an OFF file, or of a binary PLY file; a polygon is a fan of triangles.

    Raises ValueError, with the cause, for a file that is cut off or wrong.
    """
    try:
        vertices, polygons = (_read_off if kind == 'off' else _read_ply)(content)
    except (IndexError, KeyError, TypeError, ValueError) as error:
        raise ValueError(f'it is cut off, or no {kind.upper()} file') from error
    faces = trimesh.geometry.triangulate_quads(polygons)
    if len(faces) and not 0 <= faces.min() <= faces.max() < len(vertices):
        raise ValueError('a polygon has a corner that is none of the vertices')
    return trimesh.Trimesh(vertices, faces)


def _read_off(content: bytes) -> tuple[np.ndarray, list[Any]]:
    text = re.sub('#.*', '', content.decode()).partition('OFF')[2]
    lines = [line.split() for line in text.splitlines() if line.strip()]
    count, faces = map(int, lines[0][:2])
    if len(lines) <= count + faces:
        raise ValueError
    vertices = np.array([line[:3] for line in lines[1:count + 1]], dtype=float)
    return vertices, [list(map(int, line[1:int(line[0]) + 1]))
                      for line in lines[count + 1:count + faces + 1]]


def _read_ply(content: bytes) -> tuple[np.ndarray, list[Any]]:
    header, _, body = content.partition(b'end_header')
    order = '>' if b'binary_big_endian' in header else '<'
    at = body.index(b'\n') + 1
    vertices, polygons = np.empty((0, 3)), list[Any]()
    for name, count, properties in _elements(header.decode('ascii'), order):
        lengths = [length for _, length, _ in properties]
        if not any(lengths):
            rows = np.frombuffer(body, [(own, kind) for own, _, kind in properties], count, at)
            at += rows.nbytes
            if name == 'vertex':
                vertices = np.stack([rows[axis] for axis in 'xyz'], axis=1).astype(float)
            continue
        for _ in range(count):
            for own, length, kind in properties:
                entries = 1
                if length:
                    entries = int(np.frombuffer(body, length, 1, at)[0])
                    at += np.dtype(length).itemsize
                values = np.frombuffer(body, kind, entries, at)
                at += values.nbytes
                if own in _CORNERS:
                    polygons.append(values)
    return vertices, polygons


def _elements(header: str, order: str) -> list[tuple[str, int, list[tuple[str, str, str]]]]:
    """Return the elements of a PLY header: name, count, and name, type of length, type of each.

    The type of the length of what is no list is ''.
    """
    elements: list[tuple[str, int, list[tuple[str, str, str]]]] = []
    for word, *words in filter(None, map(str.split, header.splitlines())):
        if word == 'element':
            elements.append((words[0], int(words[1]), []))
        elif word == 'property':
            *kinds, own = words
            length, kind = kinds[1:] if kinds[0] == 'list' else ('', kinds[0])
            elements[-1][2].append((own, length and order + _TYPES[length], order + _TYPES[kind]))
    return elements
