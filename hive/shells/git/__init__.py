"""git, the program: what a working copy says about itself."""
