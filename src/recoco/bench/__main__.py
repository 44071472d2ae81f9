"""``python -m recoco.bench``."""

from recoco.bench import main

raise SystemExit(main())
