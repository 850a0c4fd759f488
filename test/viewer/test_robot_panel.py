import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

import robots
from harness.page_here import page_with, panel_of
from hostile_texts import chain
from ik_node.commands.ready_pose import ready_pose
from ik_node.support.exceptions import InputError
from ik_node.viewer import gallery


@pytest.fixture
def packages(tmp_path, monkeypatch):
    """A package robot_descriptions: one robot, one that fails, and one that never comes."""
    folder = tmp_path / 'robot_descriptions'
    folder.mkdir()
    (folder / '__init__.py').write_text(
        'class One:\n    has_urdf, maker, robot = True, "ik_node", "6R"\n'
        'DESCRIPTIONS = {f"{name}_description": One for name in ("six", "slow", "wrong")}\n')
    (folder / 'six_description.py').write_text(f'URDF_PATH = {str(robots.OWN / "arm_6r.urdf")!r}')
    (folder / 'wrong_description.py').write_text('raise OSError("no network")')
    (folder / 'slow_description.py').write_text('import threading\nprint("Cloning")\n'
                                                'threading.Event().wait()')
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in [name for name in sys.modules if name.startswith('robot_descriptions')]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr('shutil.which', lambda name: f'/usr/bin/{name}')


@pytest.fixture
def page():
    with page_with('arm_7r') as made:
        yield made


def send(page, name, content):
    page.upload('Open a file …', name=name, content=content)


def test_each_robot_of_the_gallery_has_a_picture_of_its_own():
    pictures = [gallery.thumbnail_of(name).read_bytes() for name in gallery.robots()]
    assert len({*pictures}) == len(pictures)
    assert all(one.startswith(b'\x89PNG') for one in pictures)


def test_a_robot_without_a_picture_is_in_the_list_alone(monkeypatch):
    monkeypatch.setattr(gallery, '_REAL', {})
    own = gallery.own_robots()
    monkeypatch.setattr(gallery, 'own_robots', lambda: {**own, 'mine': robots.OWN / 'scara.urdf'})
    with page_with('arm_7r') as made:
        assert 'mine' in made.widget('robot').options
        pictures = panel_of(made.view, 'Download a robot')._pictures.content
    assert 'title="scara"' in pictures
    assert 'title="mine"' not in pictures


def test_a_file_is_opened_and_another_choice_forgotten(page):
    page.choose('robot', value='scara')
    send(page, 'mine.urdf', (robots.OWN / 'arm_6r.urdf').read_bytes())
    assert page.robot_view.tree.name == 'arm_6r'
    assert page.node.get('model_path') == ''
    assert page.widget('robot').value == 'another robot'
    assert page.told == []


def test_a_robot_begins_at_its_start_pose_not_with_values_of_joints_of_the_same_names(page):
    page.node.stand(np.full(7, 0.3))
    page.choose('robot', value='arm_6r')
    ready = ready_pose(page.robot_view.chain)
    assert page.q() == pytest.approx(ready)
    page.node.stand(np.full(6, 0.3))
    page.press('Goal', 'Home')
    assert page.q() == pytest.approx(ready)


def test_a_robot_that_cannot_go_to_its_start_pose_is_still_the_nodes(page, monkeypatch):
    def refuse():
        raise InputError('the node is not active')
    monkeypatch.setattr(page.node, 'reset', refuse)
    send(page, 'mine.urdf', (robots.OWN / 'arm_6r.urdf').read_bytes())
    assert page.told == ['the node is not active']
    assert page.robot_view.tree.name == 'arm_6r'


def test_another_robot_has_none_of_the_tasks_of_the_one_before():
    with page_with('torso', solver='least_squares', tasks=['hand'], hand__type='pose',
                   hand__link='left_tool0') as page:
        page.choose('robot', value='scara')
        assert page.told == []
        assert page.robot_view.tree.name == 'scara'
        assert page.robot_view.tasks == ()
        assert page.node.get('solver') == 'dls'


def test_a_robot_that_another_client_gives_the_node_is_the_one_chosen(page):
    assert page.widget('robot').value == 'arm_7r'
    page.node.set(model_path=str(robots.OWN / 'scara.urdf'))
    page.until(lambda: page.widget('robot').value == 'scara')
    page.choose('robot', value='arm_7r')
    assert page.robot_view.tree.name == 'arm_7r'


@pytest.mark.parametrize(('name', 'content', 'start'), [
    ('link.stl', b'solid', "'link.stl' is no robot; the page opens"),
    ('2 files', b' ', "'2 files' is no"),
    ('empty.urdf', b'<robot name="empty"/>', 'empty.urdf is not opened: ')])
def test_what_is_no_robot_is_refused_and_the_robot_stays(page, name, content, start):
    send(page, name, content)
    assert len(page.told) == 1
    assert page.told[0].startswith(start)
    assert page.robot_view.tree.name == 'arm_7r'


def test_the_robots_of_an_archive_are_listed_and_the_first_is_opened(page, tmp_path):
    visuals = ''.join(f'<visual><geometry><mesh filename="package://p/{name}.obj"/></geometry>'
                      '</visual>' for name in ('there', 'missing'))
    with zipfile.ZipFile(tmp_path / 'robots.zip', 'w') as archive:
        archive.writestr('p/first.urdf', chain(4).replace('"deep"', '"first"').replace(
            '<link name="l0"/>', f'<link name="l0">{visuals}</link>'))
        archive.writestr('p/there.obj', 'v 0 0 0\nv 1 0 0\nv 0 2 0\nf 1 2 3\n')
        archive.writestr('p/second.urdf', chain(3).replace('"deep"', '"second"'))
    send(page, 'robots.zip', (tmp_path / 'robots.zip').read_bytes())
    assert page.robot_view.tree.name == 'first'
    assert page.robot_view.problems == ['l0: package://p/missing.obj: not found']
    assert '⚠ l0: package://p/missing.obj: not found' in page.text()
    assert page.widget('in the zip').value == 'p/first.urdf'
    page.choose('in the zip', value='p/second.urdf')
    assert page.robot_view.tree.name == 'second'
    folder = Path(panel_of(page.view, 'Download a robot')._uploads.folder)
    assert folder.exists()
    page.view.close()
    assert not folder.exists()


def test_a_refusal_of_the_node_is_reported(page):
    page.node.refusal = 'it is busy'
    send(page, 'mine.urdf', (robots.OWN / 'arm_6r.urdf').read_bytes())
    assert page.told == ['mine.urdf is not opened: it is busy']


@pytest.mark.usefixtures('packages')
def test_a_robot_is_downloaded_its_progress_shown_and_cancelled():
    with page_with('arm_7r') as page:
        page.put('Download a robot', 'name', value='slow (ik_node 6R)')
        page.until(lambda: 'slow_description: cloning' in page.text('Download a robot'))
        page.begin('Download a robot', 'Cancel')
        page.until(lambda: page.told)
        assert page.told == ['the download of slow_description was cancelled']
        page.until(lambda: page.widget('Download a robot', 'name').value == 'choose …')
        page.put('Download a robot', 'name', value='wrong (ik_node 6R)')
        page.until(lambda: len(page.told) == 2)
        assert 'no network' in page.told[1]
        page.put('Download a robot', 'name', value='six (ik_node 6R)')
        page.until(lambda: page.robot_view.tree.name == 'arm_6r')
        page.until(lambda: not page.shows('Download a robot', 'Cancel'))
        assert len(page.told) == 2


def test_without_the_package_its_installation_is_reported(monkeypatch):
    monkeypatch.setitem(sys.modules, 'robot_descriptions', None)
    with page_with('arm_7r') as page:
        assert 'pip install' in page.text('Download a robot')
        assert not page.shows('Download a robot', 'name')
