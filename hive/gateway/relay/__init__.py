"""The way of agents to their models: their own key in, the provider's key out, and what it cost counted.

Law: what a provider says reaches the agent byte for byte and at once; counting and the journal come after.
Nothing is sent twice, and no agent learns the provider's key.
"""
