"""Robots of the user's, dropped on the page, and robots that are downloaded."""

import base64
import sys
import zipfile
from pathlib import Path

import pytest

import robots
from browser import choose, page_of, until, view_of
from hostile_texts import chain
from page_here import panel_of
from ros_harness import running

pytestmark = pytest.mark.slow

# Drops files on the page: [[name, content in base 64], …].
_DROP = """files => {
  const sent = new DataTransfer();
  for (const [name, text] of files) {
    const bytes = Uint8Array.from(atob(text), character => character.charCodeAt(0));
    sent.items.add(new File([bytes], name));
  }
  for (const type of ['dragover', 'drop'])
    document.body.dispatchEvent(new DragEvent(type, {
      bubbles: true, cancelable: true, dataTransfer: sent}));
}"""


def drop(page, *files):
    """Drop files on the page, (name, bytes)."""
    page.evaluate(_DROP, [[name, base64.b64encode(content).decode()] for name, content in files])


def packed(tmp_path):
    """Return an archive of two robots, of which the first has two meshes, and one is missing."""
    visuals = ''.join(f'<visual><geometry><mesh filename="package://p/{name}.obj"/></geometry>'
                      '</visual>' for name in ('there', 'missing'))
    with zipfile.ZipFile(tmp_path / 'robots.zip', 'w') as archive:
        archive.writestr('p/first.urdf', chain(4).replace('"deep"', '"first"').replace(
            '<link name="l0"/>', f'<link name="l0">{visuals}</link>'))
        archive.writestr('p/there.obj', 'v 0 0 0\nv 1 0 0\nv 0 2 0\nf 1 2 3\n')
        archive.writestr('p/second.urdf', chain(3).replace('"deep"', '"second"'))
    return (tmp_path / 'robots.zip').read_bytes()


def described(tmp_path, monkeypatch):
    """Make a package robot_descriptions with a robot, and one whose download lasts forever."""
    folder = tmp_path / 'robot_descriptions'
    folder.mkdir()
    (folder / '__init__.py').write_text(
        'class One:\n    has_urdf, maker, robot = True, "ik_node", "6R"\n'
        'DESCRIPTIONS = {"six_description": One, "slow_description": One}\n')
    (folder / 'six_description.py').write_text(f'URDF_PATH = {str(robots.OWN / "arm_6r.urdf")!r}')
    (folder / 'slow_description.py').write_text(
        'import threading\nprint("Cloning")\nthreading.Event().wait()')
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in [name for name in sys.modules if name.startswith('robot_descriptions')]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr('shutil.which', lambda name: f'/usr/bin/{name}')


def test_a_robot_of_ones_own_is_dropped_on_the_page_or_downloaded(tmp_path, monkeypatch):
    described(tmp_path, monkeypatch)
    with (running(urdf_path=robots.OWN / 'arm_7r.urdf') as node,
          view_of(node._domain.id) as (server, view, (robot_view,)),
          page_of(server.get_port()) as (page, said)):
        told = []
        monkeypatch.setattr(panel_of(view, 'Download a robot'), '_notify', told.append)
        assert until(lambda: view.page.handle_pose is not None and server.get_clients(), 60, page)

        # What is no robot is refused, and the robot stays.
        page.wait_for_function('window.ikView')
        drop(page, ('link.stl', b'solid'))
        assert until(lambda: told, 60, page)
        drop(page, ('a.urdf', b'<robot/>'), ('b.urdf', b'<robot/>'))
        assert until(lambda: len(told) == 2, 60, page)
        drop(page, ('empty.urdf', b'<robot name="empty"/>'))
        assert until(lambda: len(told) == 3, 60, page)
        for line, start in zip(told, ("'link.stl' is no robot; the page opens", "'2 files' is no",
                                      'empty.urdf is not opened: ')):
            assert line.startswith(start)
        assert robot_view.tree.name == 'arm_7r'

        # An archive: the first of its robots is opened, and what it has is drawn.
        drop(page, ('robots.zip', packed(tmp_path)))
        assert until(lambda: robot_view.tree.name == 'first', 60, page), told
        assert until(lambda: robot_view.problems, 60, page)
        assert robot_view.problems == ['l0: package://p/missing.obj: not found']
        page.locator('input[value="p/first.urdf"]:visible').wait_for()
        choose(page, 'in the zip', 'p/second.urdf')
        assert until(lambda: robot_view.tree.name == 'second', 60, page), told

        # A download is shown, and can be cancelled; another robot is there at once.
        page.get_by_text('Download a robot').click()
        choose(page, 'name', 'slow (ik_node 6R)')
        page.get_by_text('slow_description: cloning …').wait_for()
        page.get_by_role('button', name='Cancel').click()
        assert until(lambda: 'the download of slow_description was cancelled' in told, 60, page)
        page.locator('input[value="choose …"]:visible').wait_for()
        choose(page, 'name', 'six (ik_node 6R)')
        assert until(lambda: robot_view.tree.name == 'arm_6r', 60, page), told
        assert len(told) == 4
        assert not [words for kind, words in said if kind == 'error']
        folder = panel_of(view, 'Download a robot')._uploads.folder
    assert not Path(folder).exists()
