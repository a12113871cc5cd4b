"""Pure verbs, one a file: facts in, decisions out. No clock, no file, no socket: time is an argument."""
