"""Mirrors src; flows/ for many processes; faults/ for kills and starvation; house/ for the rules of the tree."""
