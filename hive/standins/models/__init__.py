"""A model provider on loopback that plays a script: Anthropic, OpenAI (chat and responses) and Gemini.

Law: it answers what the script says, in the dialect that it was asked in, and keeps what it was asked. An
address that it does not serve is answered 404 and kept as well.
"""
