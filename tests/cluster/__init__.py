"""A real Kubernetes for the tests: API servers in seconds, and nodes whose pods run tmux. See README.md."""
