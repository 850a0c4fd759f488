import itertools
import zipfile
from pathlib import Path

import numpy as np
import pytest

import robots
from hostile_texts import chain, texts_that_name
from ik_node import IkError, KinematicTree, ModelError
from ik_node.model.geometry import Mesh
from ik_node.model.meshes import MeshError, Meshes, Places
from ik_node.model.readers import read_urdf_text
from ik_node.viewer import gallery as module
from ik_node.viewer.gallery import Uploads, default_tip, tip_of
from opened_files import opened_files


@pytest.fixture
def uploads():
    made = Uploads()
    folder = Path(made._folder.name)
    yield made
    made.close()
    assert not folder.exists()


def files(uploads):
    return [file for file in Path(uploads._folder.name).rglob('*') if file.is_file()]


@pytest.mark.parametrize('name', ['../../arm 6r.URDF', 'x' * 5000 + '.urdf', 'C:\\a\\b.urdf'])
def test_a_file_is_opened_whatever_its_name_and_removed(uploads, name):
    content = (robots.OWN / 'arm_6r.urdf').read_bytes()
    (file,) = uploads.store(name, b'\xef\xbb\xbf' + content).values()
    assert Path(uploads._folder.name) in file.parents
    parameters = uploads.read(file)
    assert read_urdf_text(parameters['robot_description']).name == 'arm_6r'
    assert (parameters['model_path'], parameters['tip_link']) == ('', '')
    assert files(uploads) == []


def test_rows_and_skeletons_are_opened_as_urdf(uploads):
    rows = robots.OWN.parent / 'config/dh/puma560.yaml'
    (file,) = uploads.store('p.yaml', rows.read_bytes()).values()
    tree = read_urdf_text(uploads.read(file)['robot_description'])
    assert tree.chain().n_joints == 6


@pytest.mark.parametrize(('name', 'content', 'reason'), [
    ('link.stl', b'', r"'link.stl' is no robot; the page opens xacro .*belong in one zip"),
    ('2 files', b' ', 'is no robot'), ('.urdf', b'x', 'is no robot'),
    ('a.urdf', b'', 'has no <robot>'), ('a.urdf', b'/etc/passwd', 'has no <robot>'),
    ('a.urdf', b'\xff\xfe', "codec can't decode"), ('a.yaml', b'/etc/passwd', 'must be a map'),
    ('a.zip', b'x', r'a\.zip is no zip archive'), ('a.urdf', bytes(8 * 2**20 + 1), 'at most 8 MiB'),
    ('a.xacro', texts_that_name('/etc/passwd')['include'].encode(), 'uses xacro')])
def test_a_wrong_file_is_refused_and_removed(uploads, name, content, reason):
    with pytest.raises(IkError, match=reason), opened_files() as opened:
        uploads.read(next(iter(uploads.store(name, content).values())))
    assert not any('passwd' in name for name in opened)
    assert files(uploads) == []


def test_the_meshes_of_an_archive_are_read_in_place(uploads, tmp_path, monkeypatch, reader):
    meshes = Meshes(Places([uploads.folder]), reader)
    text = chain(2).replace('<link name="l0"/>', '<link name="l0"><visual><geometry><mesh '
                            'filename="package://p/meshes/a b.obj"/></geometry></visual></link>')
    assert 'mesh' in text
    with zipfile.ZipFile(tmp_path / 'p.zip', 'w') as archive:
        archive.writestr('p/urdf/arm.urdf', text)
        archive.writestr('p/meshes/a b.obj', 'mtllib a.mtl\nusemtl red\nv 0 0 0\nv 1 0 0\n'
                                             'v 0 2 0\nf 1 2 3\n')
        archive.writestr('p/meshes/a.mtl', 'newmtl red\nKd 1 0 0\n')
    found = uploads.store('p.zip', (tmp_path / 'p.zip').read_bytes())
    assert list(found) == ['p/urdf/arm.urdf']
    tree = read_urdf_text(uploads.read(found['p/urdf/arm.urdf'])['robot_description'])
    mesh = tree.visuals['l0'][0].shape
    loaded = meshes.load(Mesh(mesh.filename, (1.0, 1.0, 2.0)))
    assert np.ptp(loaded.vertices, axis=0) == pytest.approx([1.0, 2.0, 0.0])
    assert tuple(loaded.visual.material.main_color) == (255, 0, 0, 255)
    (archive,) = files(uploads)
    with pytest.raises(MeshError, match='not found'):
        meshes.load(Mesh((archive / 'p/meshes/c.obj').as_uri(), (1.0, 1.0, 1.0)))
    uploads.store('p.zip', (tmp_path / 'p.zip').read_bytes())
    assert not archive.exists()
    assert len(files(uploads)) == 1
    monkeypatch.setattr(module, 'MAX_UPLOAD_BYTES', 10)
    with pytest.raises(ModelError, match='at most 0 MiB'):
        uploads.store('p.zip', (tmp_path / 'p.zip').read_bytes())


def test_the_tip_of_an_arm_with_fingers_is_what_carries_them():
    def tree(fingers, joints):
        """Return an arm of some joints with fingers of one joint."""
        links = [f'l{k}' for k in range(joints + 1)]
        pairs = [*itertools.pairwise(links), *((links[-1], f'f{k}') for k in range(fingers))]
        return read_urdf_text('<robot name="r">' + ''.join(
            f'<link name="{link}"/>' for link in [*links, *(f'f{k}' for k in range(fingers))])
            + ''.join(f'<joint name="to_{child}" type="continuous"><parent link="{parent}"/><child '
                      f'link="{child}"/></joint>' for parent, child in pairs) + '</robot>')
    assert default_tip(tree(2, 6)) == 'l6'
    assert default_tip(tree(1, 6)) == ''  # its only leaf
    assert default_tip(tree(2, 0)) == 'f0'
    assert default_tip(KinematicTree.from_urdf(robots.OWN / 'humanoid.urdf')) in (
        'left_palm', 'right_palm')


def test_robots_of_this_package_begin_with_the_tip_that_the_gallery_has():
    assert tip_of(robots.OWN / 'humanoid.urdf') == 'right_palm'
    assert tip_of(robots.OWN / 'arm_6r.urdf') == ''  # its only leaf
