"""Bodies of answers, in the shapes of GitHub's OpenAPI description; one module for each family of schemas."""
