"""The configuration: what ``config/`` says, completed with defaults and checked."""

from recoco.config.loading import Config, load_config, load_methods

__all__ = ["Config", "load_config", "load_methods"]
