"""Durable jobs: the database is the truth, the bell only rings. See docs/explanation/jobs.md."""
