"""The fleet: which clusters there are, what is delivered to them, and what became of it.

Law: it sees clusters through the ports only, decides with pure functions, and takes nothing away that it
has not seen to be its own. Synchronous classes; the supervisor calls them in a lane.
"""
