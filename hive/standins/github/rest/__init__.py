"""GitHub's REST interface: one module of routes for each resource, and the bodies that they answer with."""
