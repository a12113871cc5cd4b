"""Taking a working copy away: aside first, looked at again there, and only then for good."""

from __future__ import annotations

import os

from hive.facts.trees import TreeSighting
from hive.shells.trees.folders import Folders, remove
from hive.shells.trees.git import Failed
from hive.shells.trees.looking import seen
from hive.shells.trees.rescue import Rescued, rescue


def set_aside(folders: Folders) -> TreeSighting:
    """Move the tree to where no program knows it, and say what is in it then. Raises `Failed`."""
    folders.check()
    folders.settle()
    if not os.path.lexists(folders.tree):
        return TreeSighting(exists=False)
    os.rename(folders.tree, folders.beside("aside"))
    try:
        return seen(folders.beside("aside"))
    except (Failed, OSError):
        folders.put_back()
        raise


def delete(folders: Folders, *, whole: bool = False) -> Rescued:
    """Remove what was set aside and judged, once what it alone has is kept (`rescue`; `whole` where it was
    judged though it has more than that). Raises `Failed`, and it is back in its place then."""
    folders.check()
    aside, gone = folders.beside("aside"), folders.beside("gone")
    rescued = Rescued(())
    if os.path.lexists(aside):
        try:
            rescued = rescue(folders, aside, whole=whole)
        except (Failed, OSError):
            folders.put_back()
            raise
        remove(gone)
        os.rename(aside, gone)
    remove(gone)
    return rescued


def put_back(folders: Folders) -> TreeSighting:
    """Undo `set_aside`. Raises `Failed`."""
    folders.check()
    folders.settle()
    return TreeSighting(exists=os.path.lexists(folders.tree))
