#!/bin/bash
# In the guest: functions for running what was built on the other machine. To be sourced.
#
#   tests PROGRAM WORDS...    runs a suite with a filter, and fails if no test fits it
#   algorithms                the names of the barrier algorithms

tests() {
    local said
    said=$(mktemp)
    "$@" --test-threads "${RUNAHEAD_RDMA_TEST_THREADS:-2}" 2>&1 | tee "$said"
    [ "${PIPESTATUS[0]}" = 0 ] || return 1
    grep -Eq '^test result: ok\. [1-9][0-9]* passed' "$said" || { echo "no test has run: $*"; return 1; }
}

# Run has built it.
: "${runahead:=}"

# The barrier algorithms, with the numbers that `runahead info` shows.
algorithms() {
    local names
    names=$("$runahead" info | sed -n 's/^| \([a-z:0-9-]*\) \(.*\) *| *[0-9-]* | *[0-9-]* | *[0-9-]* | .*/\1/p' | grep -v '^name$')
    [ "$(wc -l <<<"$names")" -ge 10 ] || { echo "runahead info lists few algorithms" >&2; return 1; }
    printf '%s\n' "$names"
}
