"""Hive supervises fleets of coding agents.

Facts in, decisions out, one hand on the world, everything written down.

The rooms, from the ground up; each may use only those below it:

- ``errors``: failures named by what to do next.
- ``documents``: strict YAML and JSON, with the line of every value.
- ``facts``: immutable nouns: agents, screens, work, intents, verdicts, events, the world.
- ``contracts``: what plug-ins (backends, guardrails) promise.
- ``decisions``: pure verbs, one a file. Time is an argument.
- ``ports``: what hive needs from outside.
- ``shells``: the world: tmux, GitHub, SQLite, the operating system.
- ``gateway``: the only way from an agent to the forge.
- ``kernel``: the only asyncio: observe, decide, rule, record, act, record.
- ``fleet``: the clusters: their inventory, and what is delivered to them.
- ``standins``: a GitHub for demonstrations and tests, over real git.
- ``dashboard``: reads the journal and the daemon's socket; cannot act by itself.
- ``settings``: ``hive.yaml`` into frozen policies.
- ``surfaces``: file in, decision out.
- ``app``, ``demo``: the wiring. ``cli``: the command line.
"""

__version__ = "0.1.0"
