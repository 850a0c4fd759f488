import pytest

from installed import paths_of_installed


@pytest.fixture
def folders(tmp_path):
    for name in ('sources', 'site'):
        (tmp_path / name / 'ik_node').mkdir(parents=True)
        (tmp_path / name / 'ik_node' / 'spatial.py').touch()
    (tmp_path / 'test').mkdir()
    return tmp_path


def test_the_sources_are_left_out_where_the_package_is_installed(folders, monkeypatch):
    sources, site, test = (str(folders / name) for name in ('sources', 'site', 'test'))
    assert paths_of_installed([sources, test, site, sources], folders / 'sources') == [test, site]
    (folders / 'link').symlink_to(folders / 'sources')
    monkeypatch.chdir(sources)
    for path in ('', str(folders / 'link')):
        assert paths_of_installed([path, site], folders / 'sources') == [site]


def test_the_sources_are_tested_where_nothing_else_is(folders):
    paths = [str(folders / 'test'), str(folders / 'sources')]
    assert paths_of_installed(paths, folders / 'sources') is paths
    (folders / 'test' / 'ik_node').mkdir()  # a folder of that name is no package
    assert paths_of_installed(paths, folders / 'sources') is paths
