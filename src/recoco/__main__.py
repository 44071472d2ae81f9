"""``python -m recoco``, the same as the command ``recoco``."""

import sys

from recoco.cli.main import main

sys.exit(main())
