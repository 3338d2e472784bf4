"""Composition roots: the only place that reads settings and wires the parts together."""
