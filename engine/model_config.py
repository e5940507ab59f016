"""The configuration of the model that this process serves."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """What the process knows of its model.

    Attributes:
        hf_config: the model's own configuration, a dict or an object with attributes.
    """

    hf_config: object


class _Published:
    """What `publish_model_config` was last given."""

    config: ModelConfig | None = None


def publish_model_config(config: ModelConfig) -> None:
    """Make `config` the one of this process."""
    _Published.config = config


def process_model_config() -> ModelConfig:
    """The configuration of this process.

    Raises:
        ValueError: none was published.
    """
    config = _Published.config
    if config is None:
        raise ValueError(
            "no model config is published; call publish_model_config(ModelConfig(...))"
        )
    return config
