"""The offline pilot: a small model without a network, a clock or chance, for installations that have no other.

`reading` what was said and done; `intents` what the user wants; `steps` and `blueprint` how a described chain
becomes a graph; `pilot` what to do next; `replies` how to say it; `model` all of it as a Pydantic AI model.
"""
