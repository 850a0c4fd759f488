"""Texts that a robot description should not be."""

BOMB = ('<!DOCTYPE robot [<!ENTITY a "' + 'b' * 50 + '">'
        + ''.join(f'<!ENTITY {n} "{f"&{m};" * 10}">' for m, n in zip('abcdefgh', 'bcdefghi'))
        + ']>')


def chain(count):
    """Return a robot of so many links in a row."""
    return ('<robot name="deep">' + ''.join(f'<link name="l{i}"/>' for i in range(count)) + ''.join(
        f'<joint name="j{i}" type="continuous"><parent link="l{i}"/><child link="l{i + 1}"/>'
        '<axis xyz="0 0 1"/></joint>' for i in range(count - 1)) + '</robot>')


def texts_that_name(file, arm=None):
    """Return robot descriptions that name a file, which nobody may open: {kind: text}."""
    arm = chain(3) if arm is None else arm

    def inside(text, attributes=''):
        return arm.replace('<robot ', f'<robot {attributes} ', 1).replace(
            '<link ', f'{text}<link ', 1)
    xacro = 'xmlns:xacro="http://www.ros.org/wiki/xacro"'
    return {
        'include': inside(f'<xacro:include filename="{file}"/>', xacro),
        'include, other prefix': inside(f'<x:include filename="{file}"/>',
                                        'xmlns:x="http://ros.org/wiki/xacro"'),
        'include, unbound': inside(f'<xacro:include filename="{file}"/>'),
        'expression': inside(f'<material name="${{xacro.load_yaml(\'{file}\')}}"/>'),
        'include and expression': inside(
            f'<xacro:property name="p" value="${{xacro.load_yaml(\'{file}\')}}"/>'
            f'<xacro:include filename="{file}"/><material name="${{p}}"/>', xacro),
        'include with arguments': inside(
            f'<xacro:arg name="f" default="{file}"/><xacro:include filename="$(arg f)"/>', xacro),
        'external entity': f'<!DOCTYPE robot [<!ENTITY x SYSTEM "file://{file}">]>' + inside('&x;'),
        'parameter entity': f'<!DOCTYPE robot [<!ENTITY % x SYSTEM "file://{file}"> %x;]>' + arm,
        'a path': str(file),
        'a path and space': f'  {file}\n',
        'a URL': f'file://{file}'}
