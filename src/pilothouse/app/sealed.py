"""Where sealed texts stand, besides the envelopes of credentials: for the rotation of keys."""

from pilothouse.features.credentials import Sealed

SEALED = [Sealed("model_connections", "id", "sealed_key")]
