#!/bin/bash
# In the guest: several hosts with an RDMA device each, in one network namespace, whose traffic really crosses
# a bridge; and what can happen to their cables. A file of functions, to be sourced, and a command as well:
# `tests/rdma/hosts.sh link_down 2` calls one, for tests in other languages.
#
#   hosts N             makes hosts 1..N: device rxeI, GID index 1, address 10.8.0.I, on cable eI to port bI
#   link_down I, link_up I    pulls the cable of host I out of the bridge and puts it back
#   device_down I, device_up I    sets its network device down and up, which also takes its addresses away
#   netem I WORDS...    makes the cable bad as netem(8) says (`loss 2% delay 2ms reorder 10%`); `netem I off`
#   loss PERCENT        loses so much of what every host sends; 0: nothing
#   bad_cables          every host's cable loses 2 %, delays by some 2 ms, and reorders
#   mtu BYTES           changes the longest frame of all cables; a device's packets have the next lower power of two
#   crossing HOSTS COMMAND...    fails unless each of the hosts ("1 2") sends packets of RDMA by its cable, and
#                       none takes the short way; what a device sends to itself does not leave it
#   on_host I COMMAND...    runs a command on the host that is called hostI (a UTS namespace)
#   with_memlock KIB COMMAND...    runs a command that may lock so much memory, also if it is root
#   resources           what programs have at the devices: queue pairs, and regions of memory
#   listening PORT      waits until somebody listens at the TCP port

bridge=br0

die() { printf 'tests/rdma/hosts.sh: %s\n' "$*" >&2; exit 1; }

# A packet from one of our own addresses to another would go by lo. So addresses are local only to packets that
# come in, and what a host sends goes by its own cable.
hosts() {
    local count=$1 i
    ip link add $bridge type bridge mcast_snooping 0 || die "no bridge"
    echo 1 >/proc/sys/net/ipv6/conf/all/disable_ipv6
    echo 1 >/proc/sys/net/ipv6/conf/default/disable_ipv6
    ip link set $bridge up
    echo 1 >/proc/sys/net/ipv4/conf/all/accept_local
    echo 0 >/proc/sys/net/ipv4/conf/all/rp_filter
    ip rule add pref 32000 lookup local
    ip rule del pref 0
    tc qdisc add dev lo clsact
    tc filter add dev lo egress protocol ip u32 match ip protocol 17 0xff match ip dport 4791 0xffff action pass ||
        die "nobody counts what goes by lo"
    for i in $(seq "$count"); do
        ip link add "e$i" mtu "${RUNAHEAD_RDMA_MTU:-1500}" type veth peer name "b$i" mtu "${RUNAHEAD_RDMA_MTU:-1500}"
        ip link set "b$i" master $bridge up
        echo 0 >"/proc/sys/net/ipv4/conf/e$i/rp_filter"
        echo 1 >"/proc/sys/net/ipv4/conf/e$i/accept_local"
        echo 1 >"/proc/sys/net/ipv4/conf/e$i/arp_ignore"
        ip addr add "10.8.0.$i/24" dev "e$i"
        ip rule add pref $((100 + i)) from "10.8.0.$i" to "10.8.0.$i" lookup local
        ip rule add pref $((200 + i)) from "10.8.0.$i" to 10.8.0.0/24 iif lo lookup $((1000 + i))
        ip rule add pref $((300 + i)) from "10.8.0.$i" to 224.0.0.0/4 iif lo lookup $((1000 + i))
    done
    echo "$count" >/run/hosts
    for i in $(seq "$count"); do device_up "$i"; done
    for i in $(seq "$count"); do
        rdma link add "rxe$i" type rxe netdev "e$i" || die "no soft-RoCE on e$i"
        until_true 20 grep -q ACTIVE "/sys/class/infiniband/rxe$i/ports/1/state" || die "rxe$i does not become active"
    done
}

# Waits until a command succeeds, for at most so many seconds.
until_true() {
    local end=$((SECONDS + $1))
    until "${@:2}"; do
        [ $SECONDS -lt $end ] || return 1
        sleep 0.05
    done
}

link_down() { ip link set "b$1" down; }

link_up() {
    ip link set "b$1" up
    until_true 20 grep -q 1 "/sys/class/net/e$1/carrier" || die "no carrier at e$1"
}

# The switch drops all that goes by this cable, and nobody at its ends is told.
path_down() { bridge link set dev "b$1" state 0; }
path_up() { bridge link set dev "b$1" state 3; }

device_down() { ip link set "e$1" down; }

# Routes and neighbours go away with the device.
device_up() {
    local i=$1 other
    ip link set "e$i" up
    ip route replace 10.8.0.0/24 dev "e$i" src "10.8.0.$i" table $((1000 + i))
    ip route replace 224.0.0.0/4 dev "e$i" src "10.8.0.$i" table $((1000 + i))
    # Nobody has to be asked who has an address, of which answers might be lost.
    for other in $(seq "$(cat /run/hosts)"); do
        [ "$other" = "$i" ] ||
            ip neigh replace "10.8.0.$other" lladdr "$(cat "/sys/class/net/e$other/address")" dev "e$i"
    done
}

netem() {
    local i=$1
    shift
    tc qdisc del dev "e$i" root 2>/dev/null || true
    [ "$1" = off ] || tc qdisc add dev "e$i" root netem "$@"
}

loss() {
    local i
    for i in $(seq "$(cat /run/hosts)"); do
        if [ "${1%\%}" = 0 ]; then netem "$i" off; else netem "$i" loss "${1%\%}%"; fi
    done
}

bad_cables() {
    local i
    for i in $(seq "$(cat /run/hosts)"); do netem "$i" loss 2% delay 2ms 1ms reorder 10%; done
}

mtu() {
    local i
    for i in $(seq "$(cat /run/hosts)"); do
        ip link set "e$i" mtu "$1" && ip link set "b$i" mtu "$1" || die "no MTU of $1"
        # The device follows; routes and neighbours stay.
    done
}

# What the device of a host has sent, what has come out of its cable, and what went by lo instead of any.
sent() { cat "/sys/class/infiniband/rxe$1/ports/1/hw_counters/sent_pkts"; }
crossed() { cat "/sys/class/net/b$1/statistics/rx_packets"; }
went_short() {
    local packets
    packets=$(tc -s filter show dev lo egress | sed -n 's/.*Sent [0-9]* bytes \([0-9]*\) pkt.*/\1/p')
    [[ $packets =~ ^[0-9]+$ ]] || die "nobody counts what goes by lo"
    printf '%s\n' "$packets"
}

crossing() {
    local hosts=$1 i status=0 short packets came
    local -A sent_before crossed_before
    shift
    short=$(went_short)
    for i in $hosts; do sent_before[$i]=$(sent "$i") crossed_before[$i]=$(crossed "$i"); done
    "$@" || status=$?
    for i in $hosts; do
        packets=$(($(sent "$i") - sent_before[$i])) came=$(($(crossed "$i") - crossed_before[$i]))
        if [ $packets -eq 0 ] || [ $came -eq 0 ]; then
            echo "host $i has sent nothing by RDMA, or nothing that has crossed its cable ($packets, $came packets)"
            status=1
        fi
    done
    short=$(($(went_short) - short))
    [ $short -eq 0 ] || { echo "$short packets have not crossed the bridge"; status=1; }
    return $status
}

on_host() {
    # shellcheck disable=SC2016 # the inner shell expands it
    unshare --uts bash -c 'echo "host$0" >/proc/sys/kernel/hostname && exec "$@"' "$@"
}

# Limits of locked memory do not hold for whoever has the capability.
become_with_memlock() { ulimit -l "$1" && exec setpriv --bounding-set -ipc_lock --inh-caps -ipc_lock "${@:2}"; }
with_memlock() { (become_with_memlock "$@"); }

# Of queue pairs the kernel has some for itself: the first two of each device.
resources() {
    rdma resource show qp | awk '{ for (i = 1; i < NF; i++) if ($i == "lqpn" && $(i + 1) > 1) print "queue pair:", $0 }'
    rdma resource show mr | sed 's/^/memory: /'
}

listens() { [ -n "$(ss -Hltn "sport = :$1")" ]; }

listening() { until_true 30 listens "$1" || die "nobody listens at port $1"; }

if [ "${BASH_SOURCE[0]}" = "$0" ]; then
    set -euo pipefail
    "$@"
fi
