"""Unique names of scene nodes."""

from collections import Counter
from weakref import WeakKeyDictionary

import viser

_used: WeakKeyDictionary[viser.ViserServer, Counter[str]] = WeakKeyDictionary()


def new_name(server: viser.ViserServer, name: str) -> str:
    """Return a name that no node of the server's scene has had yet: name, name~2, name~3, ….

    viser merges a removal and an addition of the same name into one message where they are sent
    shortly after each other. The page then keeps the pose of the removed node, and gets no pose of
    the new one where that is the identity, the default of a new node. Nor does the page find a
    replaced node by its name, as labels do.
    """
    count = _used.setdefault(server, Counter())
    count[name] += 1
    return name if count[name] == 1 else f'{name}~{count[name]}'
