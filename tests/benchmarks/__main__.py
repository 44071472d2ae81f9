"""``python -m benchmarks``."""

from benchmarks import main

raise SystemExit(main())
