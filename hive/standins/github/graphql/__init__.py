"""GitHub's GraphQL interface, executed on a cut of its official schema."""
