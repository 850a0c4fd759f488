import contextlib
import time
import zipfile

import numpy as np
import pytest

import robots
from hostile_texts import chain, texts_that_name
from ik_node import KinematicTree, ModelError
from ik_node.model.pose_library import read_group_states
from ik_node.model.readers import read_model, read_urdf_text
from opened_files import opened_files

ARM = chain(3)


COMMENTS = ('<!-- made by xacro: <xacro:include filename="a.xacro"/> ${pi} -->',
            '<gazebo><plugin>${HOME}</plugin></gazebo>', '<a note="$ {x}, {y} and $"/>',
            '<a note="${"/>', '<!-- xmlns:xacro -->', '<?xacro ${x} ?>', '<xacro_like/>',
            '<![CDATA[<xacro:include/>]]>')


# What is wrong with the few URDFs that cannot be read, in the files themselves.
REFUSED = {
    'alex_psyonic_hands.urdf': "joint 'Left_index_q2' mimics another: there is no joint 'index_q1'",
    'ur3.urdf': 'has no links', 'test.urdf': 'not XML'}


@pytest.mark.parametrize(('suffix', 'step', 'least'), [
    ('.urdf', 6, 11), pytest.param('.urdf', 1, 70, marks=pytest.mark.slow), ('.xacro', 1, 15)])
def test_every_file_loads_as_text_too_or_is_refused_for_a_reason(suffix, step, least):
    folders, loaded = [robots.package_folder('erd'), robots.package_folder('rtb').parent], 0
    for file in sorted(file for folder in folders for file in folder.rglob(f'*{suffix}'))[::step]:
        if file.name in REFUSED:
            with pytest.raises(ModelError, match=REFUSED[file.name]):
                KinematicTree.from_urdf(file)
            continue
        try:
            tree = KinematicTree.from_urdf(file)
        except ModelError:
            assert suffix == '.xacro', file  # which needs other packages
            continue
        loaded += 1
        same = read_urdf_text(tree.description if suffix == '.xacro' else file.read_text())
        assert len(same.links) == len(same.joints) + 1
        assert list(same.joints) == list(tree.joints)
        rng = np.random.default_rng(0)
        values = {name: rng.uniform(-1.0, 1.0) for name in tree.independent_joints}
        placed = same.forward(values)
        for link, T in tree.forward(values).items():
            assert (placed[link] == T).all()
        assert [*map(same.limits, same.joints)] == [*map(tree.limits, tree.joints)]
    assert loaded >= least


@pytest.mark.parametrize('text', COMMENTS)
def test_what_xacro_would_not_change_is_no_xacro(text):
    text = ARM.replace('<link ', f'{text}<link ', 1)
    assert read_urdf_text(text).links == ('l0', 'l1', 'l2')
    with opened_files() as opened:
        assert KinematicTree.from_urdf(text).links == ('l0', 'l1', 'l2')
    assert not any('xacro' in name for name in opened)
    assert read_group_states(text)[1] == {}


@pytest.mark.parametrize('text', [
    ARM.replace('<link ', '<gazebo><sensor:camera name="c"/></gazebo><link ', 1),
    ARM.replace('<link ', '<gazebo a:b="c"/><link ', 1),
    ARM.replace('<robot ', '<robot sensor:x="1" ', 1),
    ARM.replace('<link ', '<!-- one -- two --><link ', 1),
    ARM.replace('<link ', '<!-- one ---><link ', 1),
    ARM.replace('<link ', '<!-- &nbsp; <a> --><!----><link ', 1),
    '<!-- made by hand -->\n<?xml version="1.0"?>\n' + ARM,
    '\n \t<?xml version="1.0" encoding="utf-8"?>\n<!-- -- -->' + ARM + '\n<!-- -- -->\n',
    ARM.replace('<robot ', '<robot xmlns="http://other.org" ', 1),
    ARM.replace('<robot ', '<u:robot xmlns:u="x" ', 1).replace('</robot', '</u:robot').replace(
        '<link', '<u:link').replace('<joint', '<u:joint').replace('</joint', '</u:joint').replace(
        '<parent', '<u:parent').replace('<child', '<u:child').replace('<axis', '<u:axis')])
def test_what_other_readers_accept_is_read(text, tmp_path):
    (tmp_path / 'arm.urdf').write_text(text)
    with zipfile.ZipFile(tmp_path / 'arm.zip', 'w') as archive:
        archive.writestr('arm.urdf', text)
    first = read_urdf_text(text)
    for tree in (first, read_urdf_text(first.description), KinematicTree.from_urdf(text),
                 read_model(tmp_path / 'arm.urdf'), read_model(tmp_path / 'arm.zip')):
        assert tree.links == ('l0', 'l1', 'l2')
        assert tree.warnings == ()


@pytest.mark.parametrize('text', ['<!--' * 10**6, ARM + '<!-- ' * 10**5, '<!-- -- -->' * 10**5,
                                  ARM.replace('<link ', '<a b="' + '${' * 10**6 + '"/><link ', 1)])
def test_comments_and_openings_without_end_take_linear_time(text):
    started = time.process_time()
    with contextlib.suppress(ModelError):
        read_urdf_text(text)
    assert time.process_time() - started < 5.0


def test_an_entity_that_is_not_declared_is_refused():
    with pytest.raises(ModelError, match="entity 'x'|undefined entity"):
        read_urdf_text('<!DOCTYPE robot SYSTEM "x.dtd">' + ARM.replace('<link ', '&x;<link ', 1))


USES = [('<xacro:property name="a" value="1"/>', 'xmlns:xacro="http://www.ros.org/wiki/xacro"'),
        ('<a xacro:b="1"/>', 'xmlns:xacro="http://wiki.ros.org/xacro"'),
        ('<x:if value="1"/>', 'xmlns:x="http://www.ros.org/wiki/xacro"'),
        ('<b><x:if xmlns:x="http://ros.org/wiki/xacro" value="1"/></b>', ''),
        ('<if xmlns="http://ros.org/wiki/xacro" value="1"/>', ''),
        ('<a b="${1 + 1}"/>', ''), ('<a b="&#36;{1 + 1}"/>', ''), ('<a b="$${${pi}}"/>', '')]


@pytest.mark.parametrize(('text', 'attributes'), USES)
def test_xacro_is_refused_in_a_text_and_in_an_srdf(text, attributes):
    text = ARM.replace('<robot ', f'<robot {attributes} ').replace('<link ', f'{text}<link ', 1)
    with pytest.raises(ModelError, match='uses xacro'):
        read_urdf_text(text)
    with pytest.raises(ModelError, match='uses xacro'):
        read_group_states(text)


@pytest.mark.parametrize('kind', texts_that_name('x'))
def test_a_text_opens_no_file_that_it_names(kind, tmp_path):
    secret = tmp_path / 'secret.xacro'
    secret.write_text('<robot><link name="secret"/></robot>')
    with opened_files() as opened, pytest.raises(ModelError) as refused:
        read_urdf_text(texts_that_name(secret)[kind])
    assert opened == []
    assert '<link name="secret"' not in str(refused.value)


def test_files_that_are_opened_are_noticed(tmp_path):
    secret = tmp_path / 'secret.xacro'
    secret.write_text('<robot/>')
    with opened_files() as opened:
        KinematicTree.from_urdf(texts_that_name(secret)['include'])  # a text of the caller's own
    assert any(str(secret) in name for name in opened)


@pytest.mark.parametrize('piece', [1, 7, 100])
def test_text_that_is_parsed_in_pieces_is_read_as_a_whole(monkeypatch, piece):
    text = f'<robot name="é">{"<!-- ü -->" * 20}<link name="ö"/></robot>'
    for one in (text, text[:-3], text + 'x', '<robot' + 'x' * 300):
        found = []
        for size in (10 ** 9, piece):
            monkeypatch.setattr('ik_node.model.robot_xml._PIECE', size)
            try:
                found.append(KinematicTree.from_urdf(one).links)
            except ModelError as error:
                found.append(str(error))
        assert found[0] == found[1]
