"""Texts that a robot description should not be."""

BOMB = ('<!DOCTYPE robot [<!ENTITY a "' + 'b' * 50 + '">'
        + ''.join(f'<!ENTITY {n} "{f"&{m};" * 10}">' for m, n in zip('abcdefgh', 'bcdefghi'))
        + ']>')


def chain(count):
    """Return a robot of so many links in a row."""
    return ('<robot name="deep">' + ''.join(f'<link name="l{i}"/>' for i in range(count)) + ''.join(
        f'<joint name="j{i}" type="continuous"><parent link="l{i}"/><child link="l{i + 1}"/>'
        '<axis xyz="0 0 1"/></joint>' for i in range(count - 1)) + '</robot>')
