"""One module per client library, imported when a model of it is first asked: each costs half a second and megabytes."""
