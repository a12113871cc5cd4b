"""The only way from an agent to the forge. The gateway alone holds the credential."""
