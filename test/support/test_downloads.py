import importlib.util
import shutil
import sys
import threading

import pytest

import robots
from ik_node import ModelError
from ik_node.commands import ik_inspect
from ik_node.support import downloads
from ik_node.support.downloads import Download, described_robots
from ik_node.support.resources import robot_file

PACKAGE = '''
class Description:
    def __init__(self, has_urdf):
        self.has_urdf, self.maker, self.robot = has_urdf, None, 'Six'
DESCRIPTIONS = {name: Description(name != 'mj_description')
                for name in ('six_description', 'slow_description', 'broken_description',
                             'gone_description', 'mj_description')}
'''


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package of the same name and make; slow_description waits forever."""
    folder = tmp_path / 'robot_descriptions'
    folder.mkdir()
    for name, code in {
            '__init__': PACKAGE,
            'six_description': f'print("Cloning it")\nprint(" 40%|##")\n'
                               f'URDF_PATH = {str(robots.OWN / "arm_6r.urdf")!r}',
            'gone_description': f'URDF_PATH = {str(tmp_path / "gone.urdf")!r}',
            'broken_description': 'raise OSError("\\n  stderr: \'fatal: unable to access it: '
                                  'Could not resolve host: x\'")',
            'slow_description': 'import signal\nprint("Cloning it")\nsignal.pause()'}.items():
        (folder / f'{name}.py').write_text(code)
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in [name for name in sys.modules if name.startswith('robot_descriptions')]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(shutil, 'which', lambda name: f'/usr/bin/{name}')
    yield
    sys.modules.pop('robot_descriptions', None)


def test_a_robot_is_downloaded_by_its_name(package, capsys):
    assert described_robots() == dict.fromkeys(
        ('broken_description', 'gone_description', 'six_description', 'slow_description'), 'Six')
    assert ik_inspect.main(['six_description']) == 0
    said = capsys.readouterr()
    assert 'base_link → tool0: 6 joints' in said.out
    assert said.err.splitlines() == ['six_description: cloning …', 'six_description: 40 %']
    with pytest.raises(ModelError, match='says: unable to access it: Could not resolve host: x; '
                                         'is there a connection to the network'):
        robot_file('broken_description')
    with pytest.raises(ModelError, match='it has no file'):
        robot_file('gone_description')
    with pytest.raises(ModelError, match="no URDF 'mj_description'; it has 'broken_description'"):
        robot_file('mj_description')


@pytest.mark.parametrize(('end', 'reason'), [
    (Download.cancel, 'was cancelled'),
    (lambda download: download._process.stdin.close(), 'cannot be downloaded')])
def test_a_download_ends_when_it_is_cancelled_and_with_its_process(package, end, reason):
    download, begun, raised = Download('slow_description'), threading.Event(), []

    def wait():
        with pytest.raises(ModelError, match=reason) as error:
            download.wait(lambda words: begun.set())
        raised.append(error)
    thread = threading.Thread(target=wait)
    thread.start()
    assert begun.wait(60.0)
    end(download)
    thread.join(60.0)
    assert raised
    assert download._process.poll() is not None


def test_a_missing_program_is_named(package, monkeypatch):
    monkeypatch.setattr(shutil, 'which', lambda name: None)
    with pytest.raises(ModelError, match='downloads with git, which is not installed'):
        robot_file('six_description')
    monkeypatch.setattr(importlib.util, 'find_spec', lambda name: None)
    assert described_robots() == {}
    with pytest.raises(ModelError, match=f'is not installed: {downloads.INSTALL}'):
        robot_file('six_description')
    with pytest.raises(FileNotFoundError, match='nor one of the package robot_descriptions'):
        robot_file('six')
