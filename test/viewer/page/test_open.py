import base64

import pytest

import robots
from harness.browser import first_picture, open_tab, page_of, until, view_on
from harness.fake_node import FakeNode
from harness.page_here import panel_of

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


def test_a_robot_is_dropped_on_the_page_and_other_files_are_refused(monkeypatch):
    with (view_on(FakeNode(model_path=str(robots.OWN / 'arm_7r.urdf'))) as (server, view, shown),
          page_of(server.get_port()) as (page, said)):
        notes = []
        monkeypatch.setattr(panel_of(view, 'Download a robot'), '_notify', notes.append)
        first_picture(page, view)
        page.wait_for_function('window.ikView')
        for k, (files, start) in enumerate((
                ([('link.stl', b'solid')], "'link.stl' is no robot; the page opens"),
                ([('a.urdf', b'<robot/>'), ('b.urdf', b'<robot/>')], "'2 files' is no"))):
            drop(page, *files)
            assert until(lambda count=k: len(notes) > count, 60, page)
            assert notes[k].startswith(start)
        assert shown.tree.name == 'arm_7r'
        drop(page, ('mine.urdf', (robots.OWN / 'scara.urdf').read_bytes()))
        assert until(lambda: shown.tree.name == 'scara', 60, page), notes
        assert not [words for kind, words in said if kind == 'error']


def test_a_picture_of_the_gallery_chooses_its_robot():
    with (view_on(FakeNode(model_path=str(robots.OWN / 'arm_7r.urdf'))) as (server, view, shown),
          page_of(server.get_port()) as (page, said)):
        first_picture(page, view)
        open_tab(page, 'Robot')
        page.locator('.ik-gallery button[title=scara]').click()
        assert until(lambda: shown.tree.name == 'scara', 60, page)
        assert page.locator('input[value=scara]').first.is_visible()  # in the list, too
        assert not [words for kind, words in said if kind == 'error']
