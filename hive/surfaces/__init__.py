"""File in, decision out: the machine-readable commands, which need no daemon, network or token."""
