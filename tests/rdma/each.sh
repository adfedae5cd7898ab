#!/bin/bash
# In the guest: runs each line of a list (see `list`) that is for the setting and whose needs are met, and fails
# if one does, is not done in time, or leaves a process behind, or something at a device.
# Usage: each.sh LIST smoke|full [FEATURE...]
set -euo pipefail
list=$1 setting=$2 has=" - ${*:3} "

# The processes that a line has started and that are there yet: they have its number in their environment.
left() { grep -slz "^RUNAHEAD_RDMA_LINE=$number\$" /proc/[0-9]*/environ | cut -d/ -f3; }
none_left() { [ -z "$(left)" ] && [ -z "$(resources)" ]; }

mend() {
    local i
    mtu "${RUNAHEAD_RDMA_MTU:-1500}"
    for i in $(seq "$(cat /run/hosts)"); do
        netem "$i" off
        device_up "$i"
        link_up "$i"
        path_up "$i"
    done
}

# All that mend sees to, in no order that changes with use. To mend what is whole takes seconds in here.
state() {
    {
        ip -o link
        ip route show table all
        ip neigh
        bridge link
        tc qdisc show
    } | sort
}

mend
whole=$(state)
mkdir -p /scratch/said
ran=0 failed=0 number=0
while read -r when limit_s needs command; do
    case $when in '' | '#'*) continue ;; smoke | full) ;; *) die "when is $when?" ;; esac
    [[ "$limit_s $command" =~ ^[0-9]+\ [^\ ] ]] || die "what is this line? $when $limit_s $needs $command"
    number=$((number + 1))
    [ "$setting" = full ] || [ "$when" = smoke ] || continue
    [[ $has = *" $needs "* ]] || { printf 'left out, for there is no %s: %s\n' "$needs" "$command"; continue; }

    said=/scratch/said/$number status=0 start_s=$SECONDS
    RUNAHEAD_RDMA_LINE=$number timeout -k 5 "$limit_s" bash -euo pipefail -c "$command" >"$said" 2>&1 </dev/null || status=$?
    took_s=$((SECONDS - start_s))
    [ $status != 124 ] && [ $status != 137 ] || echo "not done after $limit_s s" >>"$said"
    until_true 5 none_left || {
        if [ -n "$(left)" ]; then
            { echo "it has left processes behind:"; left | xargs ps -o pid,stat,args -p; } >>"$said" 2>&1 || true
            left | xargs kill -9 || true
        else
            { echo "it has left something at a device:"; resources; } >>"$said"
        fi
        [ $status != 0 ] || status=1
    }
    [ "$(state)" = "$whole" ] || mend
    ran=$((ran + 1))
    if [ $status = 0 ]; then
        printf 'ok     %4s s  %s\n' $took_s "$command"
    else
        printf 'FAILED %4s s  %s (%s), which said at the end:\n' $took_s "$command" $status
        tail -n 60 "$said" | sed 's/^/    /'
        failed=$((failed + 1))
    fi
done <"$list"

[ $ran -gt 0 ] || die "the list $list has nothing for $setting"
printf '%s of %s failed\n' $failed $ran
[ $failed = 0 ]
