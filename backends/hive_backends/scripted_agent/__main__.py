"""``python -m hive_backends.scripted_agent``."""

import sys

from hive_backends.scripted_agent.program import main

sys.exit(main())
