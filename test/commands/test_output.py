"""The output of commands: encodings, readers that stop, and full disks."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import robots
from harness.commands import entry_point

COMMANDS = robots.rest_slow((
    'ik_inspect torso', 'ik_inspect torso --json', 'ik_inspect --help', 'ik_figures --help',
    'ik_compare planar_3r --goals 1 --repeats 1', 'ik_workspace planar_3r',
    'ik_retarget --help'), 'ik_inspect torso', 'ik_workspace planar_3r')


def run(command, stdout, **variables):
    """Run a command; return its exit status, and what it prints and reports."""
    name, *arguments = command.split()
    done = subprocess.run([sys.executable, *entry_point(name), *arguments], stdout=stdout,
                          stderr=subprocess.PIPE, timeout=120, env={**os.environ, **variables})
    return done.returncode, done.stdout, done.stderr.decode()


@pytest.mark.parametrize('command', COMMANDS)
@pytest.mark.parametrize('encoding', ['latin-1', 'ascii'])
def test_what_an_encoding_lacks_is_replaced(command, encoding):
    status, printed, errors = run(command, subprocess.PIPE, PYTHONIOENCODING=encoding)
    assert status == 0
    assert printed.decode(encoding)
    assert 'Error' not in errors


@pytest.mark.parametrize('command', COMMANDS)
def test_a_reader_that_has_seen_enough_is_no_error(command):
    read, write = os.pipe()
    os.close(read)
    status, _, errors = run(command, write)
    os.close(write)
    assert status == 0
    assert 'Error' not in errors


@pytest.mark.parametrize('command', COMMANDS)
@pytest.mark.skipif(not Path('/dev/full').exists(), reason='there is no full device')
def test_a_full_disk_ends_a_command_with_the_reason(command):
    with open('/dev/full', 'wb') as full:
        status, _, errors = run(command, full)
    assert status == 2
    assert errors.splitlines()[-1].startswith('cannot write the output: ')
    assert 'Traceback' not in errors


def test_the_output_stays_open_where_a_program_replaces_the_stream():
    program = ('import gc, io, sys\nfrom ik_node.support.signals import end_quietly\n'
               'end_quietly()\nsys.stdout = io.StringIO()\ngc.collect()\n'
               'sys.stdout = sys.__stdout__\nprint("two")')
    assert subprocess.run([sys.executable, '-c', program], capture_output=True,
                          check=True).stdout == b'two\n'
