"""Durable jobs on each database."""
