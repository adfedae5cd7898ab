#!/bin/bash
# In the guest: makes the hosts and runs a command, which has the functions of hosts.sh and programs.sh (they
# are exported), in variables the paths of the programs that run has built, and in $devices and
# $RUNAHEAD_TEST_IB_DEVICE the names of all devices, with commas.
# Usage: inside.sh HOSTS COMMAND...
set -euo pipefail
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/hosts.sh"
. "$(dirname "$0")/programs.sh"

hosts "$1"
mapfile -t names < <(declare -F | awk '{ print $3 }')
export -f "${names[@]}"
set -a
# shellcheck disable=SC1091 # written by run
[ ! -e /scratch/programs ] || . /scratch/programs
devices=$(seq -s, -f rxe%g "$1")
: "${RUNAHEAD_TEST_IB_DEVICE:=$devices}"
set +a
set +e
"${@:2}"
