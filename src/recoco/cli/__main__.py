"""``python -m recoco.cli``."""

import sys

from recoco.cli.main import main

sys.exit(main())
