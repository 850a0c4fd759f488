"""Files that are sent to keep the page busy, or to make it open others: each is bounded."""

import re
from pathlib import Path

import numpy as np
import pytest

from harness.hostile_uploads import hostile_uploads, packed, repeated, urdf, with_mesh
from ik_node import IkError
from ik_node.model import meshes as module
from ik_node.model.geometry import Mesh
from ik_node.model.mesh_parts import whole_of
from ik_node.model.meshes import MeshError, Meshes, Places
from ik_node.model.readers import read_urdf_text
from ik_node.viewer.gallery import Uploads
from opened_files import opened_files

BOX = 'v 0 0 0\nv 1 0 0\nv 0 2 0\nf 1 2 3\n'
NAMES = [*hostile_uploads(Path('/secret'))]


def draw(name, content, reader):
    """Do what the page does with a file that is sent; return what it tells."""
    uploads, told = Uploads(), []
    places = Places()
    places.add(uploads.folder)
    meshes = Meshes(places, reader)
    try:
        for file in uploads.store(name, content).values():
            for visuals in read_urdf_text(uploads.read(file)['robot_description']).visuals.values():
                for visual in visuals:
                    try:
                        if isinstance(visual.shape, Mesh):
                            meshes.simplified(whole_of(meshes.load(visual.shape)), 1000)
                    except MeshError as error:
                        told.append(str(error))
            break
    except IkError as error:
        told.append(str(error))
    finally:
        uploads.close()
    return told


@pytest.mark.parametrize('what', NAMES)
def test_a_hostile_file_is_refused_or_drawn_and_opens_no_other(what, reader, tmp_path):
    secret = tmp_path / 'secret.stl'
    secret.write_text('solid')
    name, make = hostile_uploads(secret)[what]
    content = make()
    with opened_files() as opened:
        told = draw(name, content, reader)
    assert not [file for file in opened if str(secret) in file]
    assert sum(map(len, told)) < 10_000_000
    assert all(told)


@pytest.mark.parametrize(('what', 'words'), [
    ('nested zip', 'only stl, dae'), ('zae', 'only stl, dae'), ('zip as dae', 'not well-formed'),
    ('absolute path', 'outside the folders that are named'), ('file URL', '--mesh-folder FOLDER'),
    ('entities in DAE', "the XML entity 'e0'"), ('entity in DAE', "the XML entity 'x'"),
    ('parameter entity in DAE', "the XML entity 'x'"),
    ('many files, meshes without one', 'not found'),
    ('deep folders', 'at most 1024 char|at most 4 MiB'),
    ('a directory of empty entries', 'has 12000 files'),
    ('a size beyond all', 'at most 512 MiB'), ('zeros', 'no zip archive')])
def test_the_reason_is_reported(what, words, reader, tmp_path):
    name, make = hostile_uploads(tmp_path / 'secret.stl')[what]
    told = draw(name, make(), reader)
    assert re.search(words, told[0])


def test_after_a_mesh_that_takes_too_long_others_are_drawn(reader):
    told = draw('r.zip', packed({'r.urdf': urdf('a.dae', 'b.obj'), 'a.dae': repeated(),
                                 'b.obj': BOX}), reader)
    assert told == ['a.dae: it takes too long for its size',
                    'b.obj: the meshes of the robot take too long for their size']
    assert draw('r.zip', with_mesh('a.obj', BOX), reader) == []


def test_many_small_meshes_have_no_more_time_than_a_large_one(reader, monkeypatch):
    monkeypatch.setattr(module.mesh_reader, 'SECONDS', 0.02)
    names = [f'{k}.obj' for k in range(60)]
    told = draw('r.zip', packed({'r.urdf': urdf(*names), **dict.fromkeys(names, BOX)}), reader)
    assert 'take too long for their size' in told[-1]
    told = draw('r.zip', packed({'r.urdf': urdf(*60 * ['a.obj']), 'a.obj': BOX}), reader)
    assert 'take too long for their size' in told[-1]


def test_a_mesh_that_is_shown_many_times_has_no_more_memory_than_many_meshes(reader, monkeypatch):
    monkeypatch.setattr(module, '_MOST_BYTES', 1000)
    robot = packed({'r.urdf': urdf(*20 * ['a.obj']), 'a.obj': BOX})
    assert 'need too much memory' in draw('r.zip', robot, reader)[-1]
    assert draw('r.zip', with_mesh('a.obj', BOX), reader) == []


def test_a_mesh_has_time_by_the_bytes_that_it_has_in_the_archive(reader, monkeypatch):
    given = []
    monkeypatch.setattr(reader, 'read', lambda content, kind, find, seconds: (
        given.append(seconds) or (_ for _ in ()).throw(MeshError('not today'))))
    draw('r.zip', with_mesh('a.stl', np.random.default_rng(1).bytes(2**20)), reader)
    read = module.mesh_reader
    assert given == [pytest.approx(read.SECONDS + read.SECONDS_PER_MIB, abs=0.1)]
