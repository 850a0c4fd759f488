"""Hook of MkDocs: files outside docs/ that a page links to become part of the site.

The pages are read as plain files in the repository too, where they link to examples and code.
"""

import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, InclusionLevel

ROOT = Path(__file__).parents[1]
_LINK = re.compile(r'(?<=\]\()[^)#\s:]+(?=[)#])')


def on_files(files: Any, config: Any) -> Any:
    """Add the linked files below `source/`."""
    linked = {_outside(page.src_uri, link) for page in files if page.is_documentation_page()
              for link in _LINK.findall(page.content_string)}
    for name in sorted(linked):
        if (ROOT / name).is_file():
            files.append(File.generated(config, f'source/{name}', abs_src_path=str(ROOT / name),
                                        inclusion=InclusionLevel.NOT_IN_NAV))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Let links to files outside docs/ point below `source/`; folders lose their link."""
    own = page.file.src_uri
    for folder in re.finditer(r'\[([^]]*)\]\(([^)#\s:]+/)\)', markdown):
        if _outside(own, folder[2]):
            markdown = markdown.replace(folder[0], folder[1])

    def inside(link: re.Match[str]) -> str:
        name, folder = _outside(own, link[0]), posixpath.dirname(own) or '.'
        return posixpath.relpath(f'source/{name}', folder) if name else link[0]
    return _LINK.sub(inside, markdown)


def _outside(page: str, link: str) -> str:
    """Return the path in the repository of a link that leaves docs/; '' for one that does not."""
    path = posixpath.normpath(posixpath.join('docs', posixpath.dirname(page), link))
    return '' if path == 'docs' or path.startswith('docs/') else path
