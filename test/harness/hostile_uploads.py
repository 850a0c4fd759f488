"""Files that somebody sends to the page to make it read others, or to keep it busy."""

import io
import json
import struct
import zipfile
import zlib

_DAE = '''<?xml version="1.0"?>%s<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema"
version="1.4.1"><asset><unit meter="1"/><up_axis>Z_UP</up_axis></asset><library_geometries>
<geometry id="g"><mesh><source id="p"><float_array id="a" count="%d">%s</float_array>
<technique_common><accessor source="#a" count="%d" stride="3"><param name="X" type="float"/>
<param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices><triangles count="%d"><input
semantic="VERTEX" source="#v" offset="0"/><p>%s</p></triangles></mesh></geometry>
</library_geometries>%s<library_visual_scenes><visual_scene id="s"><node id="n">%s</node>
</visual_scene></library_visual_scenes><scene><instance_visual_scene url="#s"/></scene></COLLADA>'''
_ONE = '<instance_geometry url="#g"/>'


def urdf(*meshes, entity=''):
    """Return a robot of one link with meshes."""
    visuals = ''.join(f'<visual><geometry><mesh filename="{mesh}"/></geometry></visual>'
                      for mesh in meshes)
    return f'{entity}<robot name="hostile"><link name="base">{visuals}</link></robot>'


def packed(files, level=9):
    """Return a zip of {name or ZipInfo: content}, of which names may occur twice as pairs."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, 'w', zipfile.ZIP_DEFLATED, compresslevel=level) as archive:
        for name, content in files.items() if isinstance(files, dict) else files:
            archive.writestr(name, content, zipfile.ZIP_DEFLATED)
    return made.getvalue()


def with_mesh(name, content, **more):
    return packed({'r.urdf': urdf(name), name: content, **more})


def dae(declared='', count=9, values='0 0 0 1 0 0 0 1 0', indices='0 1 2', nodes='', scene=_ONE):
    """Return a COLLADA file of one triangle."""
    return _DAE % (declared, count, values, count // 3, len(indices.split()) // 3, indices, nodes,
                   scene)


def repeated(levels=12, times=10):
    """Return a COLLADA file that shows its triangle times ** levels times."""
    nodes = ''.join(
        f'<node id="n{k}">' + (f'<instance_node url="#n{k + 1}"/>' * times if k < levels
                               else _ONE) + '</node>' for k in reversed(range(levels + 1)))
    return dae(nodes=f'<library_nodes>{nodes}</library_nodes>', scene='<instance_node url="#n0"/>')


def gltf(binary=False, uri='data:,', count=3, nodes=None, view=True):
    """Return a glTF file of one triangle, as JSON or binary."""
    data = struct.pack('<9f', 0, 0, 0, 1, 0, 0, 0, 1, 0)
    accessor = {'componentType': 5126, 'type': 'VEC3', 'count': count}
    content = {
        'asset': {'version': '2.0'}, 'scene': 0, 'scenes': [{'nodes': [0]}],
        'nodes': nodes or [{'mesh': 0}],
        'meshes': [{'primitives': [{'attributes': {'POSITION': 0}}]}],
        'accessors': [{**accessor, 'bufferView': 0} if view else accessor],
        'bufferViews': [{'buffer': 0, 'byteLength': len(data)}],
        'buffers': [{'byteLength': len(data), **({} if binary else {'uri': uri})}]}
    text = json.dumps(content).encode()
    if not binary:
        return text
    text += b' ' * (-len(text) % 4)
    return (struct.pack('<4sII', b'glTF', 2, 28 + len(text) + len(data))
            + struct.pack('<I4s', len(text), b'JSON') + text
            + struct.pack('<I4s', len(data), b'BIN\0') + data)


def png(side):
    """Return a black picture of side by side pixels."""
    def chunk(kind, data):
        return (struct.pack('>I', len(data)) + kind + data
                + struct.pack('>I', zlib.crc32(kind + data)))
    packer = zlib.compressobj(9)
    data = b''.join([*(packer.compress(bytes(1 + 3 * side)) for _ in range(side)), packer.flush()])
    return (b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack('>2I5B', side, side, 8, 2, 0, 0, 0))
            + chunk(b'IDAT', data) + chunk(b'IEND', b''))


def link(target):
    """Return the entry of a symbolic link, and what it leads to."""
    entry = zipfile.ZipInfo('link.stl')
    entry.external_attr, entry.create_system = 0o120777 << 16, 3
    return [('r.urdf', urdf('link.stl')), (entry, str(target))]


def stl(count, size=0):
    """Return an STL file that says to have some triangles, and has so many bytes of zeros."""
    return bytes(80) + struct.pack('<I', count) + bytes(size)


def _nested(depth, size):
    content, name = bytes(size), 'zeros.stl'
    for _ in range(depth):
        content, name = packed([(f'{k}{name}', content) for k in range(4)]), 'inner.zip'
    return content


def _laughs():
    entities = ''.join(f'<!ENTITY e{k + 1} "{f"&e{k};" * 10}">' for k in range(9))
    return f'<!DOCTYPE COLLADA [<!ENTITY e0 "lol">{entities}]>'


def _entity(kind, target):
    return f'<!DOCTYPE {kind} [<!ENTITY x SYSTEM "file://{target}">]>'


def _lies(data, offset, value):
    """Change a field of the last entry in an archive's directory."""
    data = bytearray(data)
    place = data.rindex(b'PK\x01\x02') + offset
    data[place:place + len(value)] = value
    return bytes(data)


def _textured(side):
    return with_mesh('a.obj', 'mtllib a.mtl\nusemtl m\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\n'
                     'f 1/1 2/1 3/1\n', **{'a.mtl': 'newmtl m\nmap_Kd a.png\n',
                                           'a.png': png(side)})


def _obj_that_names(target):
    return (f'mtllib {target}\nmtllib ../../../../..{target}\nusemtl m\nv 0 0 0\nv 1 0 0\n'
            'v 0 1 0\nf 1 2 3\n')


def hostile_uploads(secret):
    """Return files by what they try: {what: (name, a function that returns the content)}.

    secret: a file of this machine that must not be opened.
    """
    zips = {
        'nested zip': lambda: packed({'r.urdf': urdf('inner.zip'), 'inner.zip': _nested(3, 2**20)}),
        'nested zip as a robot': lambda: packed({'a.urdf/inner.zip': _nested(2, 2**20)}),
        'nested zip through a path': lambda: packed({
            'r.urdf': urdf('inner.zip/0zeros.stl'), 'inner.zip': _nested(1, 2**20)}),
        'zae': lambda: with_mesh('a.zae', packed({'a.dae': bytes(2**24)})),
        'zip as dae': lambda: with_mesh('a.dae', packed({'a.dae': bytes(2**24)})),
        '3mf': lambda: with_mesh('a.3mf', packed({'3D/3dmodel.model': bytes(2**24)})),
        'bz2': lambda: with_mesh('a.stl.bz2', bytes(2**20)),
        'absolute path': lambda: packed({'r.urdf': urdf(secret)}),
        'file URL': lambda: packed({'r.urdf': urdf(f'file://{secret}')}),
        'path above': lambda: packed({'r.urdf': urdf(f'../../../../../../..{secret}')}),
        'path above in a package': lambda: packed({
            'r.urdf': urdf(f'package://p/../../../../../../..{secret}')}),
        'percent': lambda: packed({'r.urdf': urdf(f'%2e%2e/%2e%2e/%2e%2e/%2e%2e{secret}')}),
        'names above': lambda: packed({'r.urdf': urdf(f'../../..{secret}'),
                                       f'../../..{secret}': b'', str(secret): b''}),
        'link': lambda: packed(link(secret)),
        'link to a folder': lambda: packed([*link(secret.parent), (
            'd/r.urdf', urdf(f'../link.stl/{secret.name}'))]),
        'network': lambda: packed({'r.urdf': urdf('http://127.0.0.1:9/a.stl',
                                                  '//127.0.0.1:9/a.stl', 'ftp://a/a.stl')}),
        'entity in the URDF': lambda: packed({'r.urdf': urdf(entity=_entity('robot', secret))}),
        'entities in DAE': lambda: with_mesh('a.dae', dae(_laughs(), values='&e9;')),
        'entity in DAE': lambda: with_mesh('a.dae', dae(_entity('COLLADA', secret), values='&x;')),
        'parameter entity in DAE': lambda: with_mesh('a.dae', dae(
            f'<!DOCTYPE COLLADA [<!ENTITY % x SYSTEM "file://{secret}"> %x;]>')),
        'repeated nodes in DAE': lambda: with_mesh('a.dae', repeated()),
        'count in DAE': lambda: with_mesh('a.dae', dae(count=10**12)),
        'indices in DAE': lambda: with_mesh('a.dae', dae(indices='0 1 2 ' * 1_000_000)),
        'deep DAE': lambda: with_mesh('a.dae', dae(scene='<node>' * 50000 + '</node>' * 50000)),
        'picture in DAE': lambda: with_mesh('a.dae', dae(
            nodes=f'<library_images><image id="i"><init_from>{secret}</init_from></image>'
            '</library_images>')),
        'count in STL': lambda: with_mesh('a.stl', stl(2**32 - 1)),
        'zeros in STL': lambda: with_mesh('a.stl', stl(400_000, 20_000_000)),
        'many zeros in STL': lambda: packed({
            'r.urdf': urdf(*(f'{k}.stl' for k in range(100))),
            **{f'{k}.stl': stl(20000, 10**6) for k in range(100)}}),
        'count in PLY': lambda: with_mesh('a.ply', 'ply\nformat binary_little_endian 1.0\nelement '
                                          'vertex 4000000000\nproperty double x\nproperty double y'
                                          '\nproperty double z\nelement face 4000000000\nproperty '
                                          'list uchar int vertex_indices\nend_header\n'),
        'count in OFF': lambda: with_mesh('a.off', 'OFF\n4000000000 4000000000 0\n0 0 0\n'),
        'files that OBJ names': lambda: with_mesh('a.obj', _obj_that_names(secret)),
        'many files that OBJ names': lambda: with_mesh(
            'a.obj', 'mtllib b.mtl\n' * 50000 + 'v 0 0 0\nf 1 1 1\n', **{'b.mtl': bytes(2**20)}),
        'the same triangle in OBJ': lambda: with_mesh(
            'a.obj', 'v 0 0 0\nv 1 0 0\nv 0 1 0\n' + 'f 1 2 3\n' * 2_000_000),
        'large picture': lambda: _textured(4200),
        'file that glTF names': lambda: with_mesh('a.gltf', gltf(uri=f'file://{secret}')),
        'path that glTF names': lambda: with_mesh('a.gltf', gltf(uri=f'../../../..{secret}')),
        'count in glTF': lambda: with_mesh('a.glb', gltf(binary=True, count=10**11, view=False)),
        'nodes in glTF': lambda: with_mesh('a.glb', gltf(binary=True, nodes=[
            *({'children': [k + 1] * 10} for k in range(12)), {'mesh': 0}])),
        'circle of nodes in glTF': lambda: with_mesh('a.glb', gltf(
            binary=True, nodes=[{'children': [1], 'mesh': 0}, {'children': [0]}])),
        'many files, meshes without one': lambda: packed({
            'r.urdf': urdf(*(f'package://p/m/none{k}.stl' for k in range(200))),
            **{f'p/m/d{k}/x{k}.stl': b'' for k in range(9990)}}, 1),
        'many files of one name': lambda: packed({
            'r.urdf': urdf(*(f'package://p/x{k}/m/a.stl' for k in range(200))),
            **{f'p/d{k}/m/a.stl': b'' for k in range(9000)}}, 1),
        'many meshes of one file': lambda: packed({
            'r.urdf': urdf(*['a.stl'] * 20000), 'a.stl': b'solid'}),
        'a directory of empty entries': lambda: packed([(f'{k}', b'') for k in range(12000)], 1),
        'deep folders': lambda: packed([('r.urdf', urdf('a.stl')), *(
            (f'{"a/" * 30000}{k}.stl', b'') for k in range(100))]),
        'a long name of a mesh': lambda: packed({'r.urdf': urdf('a/' * 2_000_000 + 'a.stl'),
                                                 'b/a.stl': b''}),
        'names twice': lambda: packed([('r.urdf', urdf('a.stl')), ('a.stl', b'solid'),
                                       ('r.urdf', urdf(secret))]),
        'a size that lies': lambda: _lies(with_mesh('a.stl', bytes(2**24)), 24, b'\x10\0\0\0'),
        'a size beyond all': lambda: _lies(with_mesh('a.stl', b'x'), 20, b'\xfe\xff\xff\xff' * 2),
        'a place that lies': lambda: _lies(with_mesh('a.stl', b'x'), 42, b'\xf0\xff\xff\x7f'),
        'encrypted': lambda: _lies(with_mesh('a.stl', b'x'), 8, b'\x01\0'),
        'cut off': lambda: with_mesh('a.stl', bytes(2**20))[:-30],
        'cut off in the middle': lambda: with_mesh('a.stl', bytes(2**24))[:500],
        'zeros': lambda: bytes(10**6)}
    return {**{what: ('robot.zip', make) for what, make in zips.items()},
            'entities in a URDF': ('a.urdf', lambda: (_laughs() + urdf('&e9;')).encode()),
            'paths in a URDF': ('a.urdf', lambda: urdf(secret, f'file://{secret}').encode()),
            'deep XML': ('a.urdf', lambda: b'<robot name="r">' + b'<a>' * 10**6),
            'aliases in YAML': ('a.yaml', lambda: ('a: &a [0,0,0,0,0,0,0,0,0]\n' + ''.join(
                f'{chr(98 + k)}: &{chr(98 + k)} [{",".join([f"*{chr(97 + k)}"] * 9)}]\n'
                for k in range(12))).encode())}
