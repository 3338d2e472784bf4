# Runs inside the sandbox, as its first program. Standard input is a line to the host: what was kept comes from it,
# and what is to be kept goes back to it, as a tar archive.
# Arguments: `kept` or `new`, what to hand back (`out`, or `out work`), then the limits, `--`, and the program.
echo 1000 >/proc/self/oom_score_adj
if [ "$1" = kept ]; then tar -x -C / work || exit 125; fi
back=$2
shift 2
cd /work || exit 125
(
  set -a
  . /job/variables.sh
  set +a
  exec "$@"
) </dev/null
code=$?
# shellcheck disable=SC2086  # the words of $back are meant to be words
tar -c -C / $back >&0 || exit 125
exit $code
