"""What the screens are made of. Widgets show what they are given and tell by messages what was chosen."""
