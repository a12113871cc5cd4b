"""Every level, role, capability and route against one forge: what happens there is what the table says."""
