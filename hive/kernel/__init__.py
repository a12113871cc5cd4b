"""The only asyncio: observe, decide, rule, record, act, record. Knows ports, never a library behind one."""
