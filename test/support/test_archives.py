import struct
import zipfile

import pytest

from ik_node import ModelError
from ik_node.support import archives
from ik_node.support.archives import Member, file_names, is_member, member_of, read_member


@pytest.fixture
def packed(tmp_path):
    """Return a function that packs {name: content} and returns the archive."""
    def pack(files, name='robot.zip'):
        with zipfile.ZipFile(tmp_path / name, 'w', zipfile.ZIP_DEFLATED) as archive:
            for inner, content in files.items():
                archive.writestr(inner, content)
        return tmp_path / name
    return pack


def patched(archive, offset, value):
    """Change a field of the first entry in an archive's directory."""
    data = bytearray(archive.read_bytes())
    place = data.index(b'PK\x01\x02') + offset
    data[place:place + len(value)] = value
    archive.write_bytes(data)
    return archive


def test_a_path_through_an_archive_names_a_file_in_it(packed):
    archive = packed({'a/b.txt': 'there', 'a/../c.txt': 'odd', '__MACOSX/x': ''}, 'Robot.ZIP')
    assert member_of(archive / 'a/b.txt') == Member(archive, 'a/b.txt')
    assert read_member(member_of(archive / 'a/b.txt')) == b'there'
    assert is_member(archive / 'a/b.txt')
    assert is_member(str(archive / 'a/./b.txt'))
    assert not is_member(archive / 'a/d.txt')
    assert not is_member(archive)
    assert not is_member(archive.parent / 'other.zip/a')
    assert file_names(archive) == ['a/b.txt', 'a/../c.txt']


def test_no_name_leads_out_of_an_archive(packed, tmp_path):
    (tmp_path / 'secret').write_text('secret')
    link = zipfile.ZipInfo('link')
    link.external_attr = 0o120777 << 16  # a symbolic link
    archive = packed({'a': 'inside', '../secret': 'inside', '/etc/passwd': 'inside', link: 'a'})
    for name in ('../secret', '/etc/passwd'):
        assert read_member(Member(archive, name)) == b'inside'
    assert read_member(Member(archive, 'link')) == b'a'
    assert not is_member(archive / 'a/../../other')
    assert not is_member(archive / 'secret')
    assert sorted(tmp_path.iterdir()) == [archive, tmp_path / 'secret']


def test_what_is_too_large_is_refused_before_it_is_read(packed, monkeypatch):
    archive = packed({'a': bytes(3 * 2**20), 'b': 'b'})
    with pytest.raises(ModelError, match='a in robot.zip is too large: 3 MiB; at most 2 MiB'):
        read_member(Member(archive, 'a'), 2 * 2**20)
    monkeypatch.setattr(archives.bounds, 'MAX_ARCHIVE_BYTES', 2 * 2**20)
    archives._open.cache_clear()
    with pytest.raises(ModelError, match='has 3 MiB unpacked; at most 2 MiB'):
        file_names(archive)
    monkeypatch.setattr(archives.bounds, 'MAX_ARCHIVE_FILES', 1)
    archives._open.cache_clear()
    with pytest.raises(ModelError, match='has 2 files; at most 1'):
        file_names(archive)


def test_an_archive_that_lies_about_a_size_is_damaged(packed):
    archive = patched(packed({'a': bytes(2**20)}), 24, struct.pack('<I', 10))
    with pytest.raises(ModelError, match='a in robot.zip cannot be read'):
        read_member(Member(archive, 'a'))


def test_a_file_that_cannot_be_read_is_refused_with_the_reason(packed):
    locked = patched(packed({'a': 'a'}), 8, b'\x01\x00')
    with pytest.raises(ModelError, match='encrypted; pack it without a password'):
        read_member(Member(locked, 'a'))
    with pytest.raises(ModelError, match='there is no b in robot.zip'):
        read_member(Member(locked, 'b'))
    locked.write_text('no archive')
    with pytest.raises(ModelError, match=r'robot\.zip is no zip archive that can be read'):
        file_names(locked)
    assert not is_member(locked / 'a')
