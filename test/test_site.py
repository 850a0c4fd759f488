import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

pytest.importorskip('mkdocs', reason='mkdocs-material is not installed')


def test_the_site_is_built_without_a_warning_and_has_the_files_that_pages_link_to(tmp_path):
    run = subprocess.run(
        [sys.executable, '-m', 'mkdocs', 'build', '--strict', '--site-dir', str(tmp_path)],
        cwd=ROOT, capture_output=True, text=True, timeout=300, check=False,
        env={**os.environ, 'NO_MKDOCS_2_WARNING': '1'})
    assert run.returncode == 0, run.stderr
    assert (tmp_path / 'source/examples/two_hands.py').is_file()
    assert 'href="source/examples/two_hands.py"' in (tmp_path / 'tasks.html').read_text()
