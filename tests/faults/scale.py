"""How much is done: a little in every `make test`, all of it with `FAULTS=full`; and from which seed."""

import os
import time

FULL = os.environ.get("FAULTS") == "full"
PLAIN = os.environ.get("FAULTS_PLAIN") == "1"
KILLS_PER_FAILPOINT = 3 if FULL else 1  # each on an installation of its own
RANDOM_KILLS = int(os.environ.get("FAULTS_KILLS", "500" if FULL else "6"))  # on each profile
TURN_KILLS = int(os.environ.get("FAULTS_TURN_KILLS", "200" if FULL else "1"))  # on each profile, at random
AGAIN_KILLS = int(os.environ.get("FAULTS_AGAIN_KILLS", "100" if FULL else "2"))  # of forks, replays, dry runs, files
PARTS = int(os.environ.get("FAULTS_PARTS", "5" if FULL else "1"))  # installations that share the random kills
CROWD = 10_000 if FULL else 600
SEED = int(os.environ.get("FAULTS_SEED") or (time.time() if FULL else 20261115))
LEASE_SECONDS = 4.0 if FULL else 2.0  # the shorter, the less there is to wait for
ORPHAN_SECONDS = 5.0  # until every job of a killed process has moved on
JOBS_IN_FLIGHT = 8
TREE = int(os.environ.get("FAULTS_TREE", "200" if FULL else "24"))  # runs in a tree that is cancelled
TREES = int(os.environ.get("FAULTS_TREES", "25" if FULL else "3"))  # on each profile
WAITING_PARENTS = int(os.environ.get("FAULTS_PARENTS", "1000" if FULL else "30"))
STOPS = int(os.environ.get("FAULTS_STOPS", "50" if FULL else "6"))  # turns in a row that are stopped and said anew
REPEATED_CHARGES = 10_000 if FULL else 40  # on each profile
SLEEP_SECONDS = 300.0 if FULL else 0.0  # how long a worker is stopped, at the least
CUTS = int(os.environ.get("FAULTS_CUTS", "1000" if FULL else "40"))  # of readers of turns, on each profile
