"""What clusters have and how they do: from what API servers answer to the facts that placement decides on.

Pure. What is not known is left out or said to be unknown; nothing is ever taken to be free.
"""
