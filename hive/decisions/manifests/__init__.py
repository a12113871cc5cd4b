"""Kubernetes objects as they are written, into the facts that placement decides on.

`shapes` are the kinds of which hive knows every key; `kinds` says what a kind is called as a resource.
Files (`hive place`), settings and the API server's answers are read by the same shapes.
"""
