"""Strict YAML and JSON: one document, no surprises, and the line of every value.

    document = read(data, "hive.yaml")
    settings = document.parse(Model)

Text is taken as it is written: ``0123456``, ``1e9``, ``no`` and ``3.10`` stay text, and the model that
reads a value says what it must be. Plain ``null``, ``~`` and an empty value are None.
"""

from hive.documents.document import Document, read, read_all
from hive.documents.limits import Limits

__all__ = ["Document", "Limits", "read", "read_all"]
