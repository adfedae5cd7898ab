#!/bin/bash
# In the guest, with the hosts made: shows that the devices, the cables between them and what spoils these are
# what the tests take them for. Ends with an error at the first that is not.
set -euo pipefail
scratch=$(mktemp -d)
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/hosts.sh"
count=$(cat /run/hosts)
lose=

step() { printf -- '-- %s (%s s)\n' "$*" "$(cut -d. -f1 /proc/uptime)"; }

# Fails as the first of a server and a client that fails; both get the device of their host and what follows. Where
# cables $lose packets the first that is done counts: it has all that the other has sent, and knows that this has what it
# sent itself, and goes. If what tells the other the same is lost, that repeats its last message for ever, as soft-RoCE
# takes 7 tries for any number.
pair() {
    local program=$1 server_host=$2 client_host=$3 status=0 server client
    shift 3
    timeout 60 "$program" -d "rxe$server_host" -g 1 "$@" >"$scratch/server" 2>&1 &
    server=$!
    listening 18515
    timeout 60 "$program" -d "rxe$client_host" -g 1 "$@" "10.8.0.$server_host" >"$scratch/client" 2>&1 &
    client=$!
    if [ -n "$lose" ]; then
        wait -n $server $client || status=$?
        kill $server $client 2>/dev/null || true
        wait $server $client || true
    else
        wait $client || status=$?
        wait $server || status=1
    fi
    [ $status = 0 ] || { sed 's/^/server: /' "$scratch/server"; sed 's/^/client: /' "$scratch/client"; }
    return $status
}

step "devices"
for i in $(seq "$count"); do
    ibv_devinfo -v -d "rxe$i" >"$scratch/info"
    grep -q 'PORT_ACTIVE' "$scratch/info" || die "rxe$i is not active"
    grep -q "GID\[ *1\]:.*::ffff:10.8.0.$i\b" "$scratch/info" || { cat "$scratch/info"; die "GID 1 of rxe$i is another"; }
done
[ "$(ibv_devices | grep -c rxe)" = "$count" ] || die "there are other devices: $(ibv_devices)"

step "messages on reliable connections, between all pairs, across the bridge"
for i in $(seq "$count"); do
    for j in $(seq $((i + 1)) "$count"); do
        crossing "$i $j" pair ibv_rc_pingpong "$i" "$j" -n 20 -s 4096
    done
done

step "datagrams"
crossing "1 2" pair ibv_ud_pingpong 1 2 -n 20 -s 1024

step "connections by address"
timeout 60 rping -s -a 10.8.0.1 -C 5 >"$scratch/server" 2>&1 &
server=$!
sleep 0.5
crossing "1 2" timeout 60 rping -c -a 10.8.0.1 -I 10.8.0.2 -C 5 >"$scratch/client" 2>&1 || { cat "$scratch/client" "$scratch/server"; die "rping"; }
wait $server || { cat "$scratch/server"; die "rping -s"; }

step "a lossy network is lossy, and reliable connections get over it"
lose=1
loss 2%
pair ibv_rc_pingpong 1 2 -n 300 -s 4096 -r 16
dropped() { tc -s qdisc show dev "e$1" root | sed -n 's/.*dropped \([0-9]*\).*/\1/p'; }
[ $(($(dropped 1) + $(dropped 2))) -gt 0 ] || die "nothing was lost"
netem 1 delay 3ms reorder 25%
pair ibv_rc_pingpong 1 2 -n 20 -s 4096
loss 0
lose=

step "a cable that is pulled out is noticed, and can be put back"
for kind in link device; do
    ${kind}_down 2
    until_true 20 grep -q DOWN /sys/class/infiniband/rxe2/ports/1/state || die "$kind: the port stays up"
    ${kind}_up 2
    until_true 20 grep -q ACTIVE /sys/class/infiniband/rxe2/ports/1/state || die "$kind: the port stays down"
    crossing "1 2" pair ibv_rc_pingpong 1 2 -n 20
done

step "what a switch drops is noticed by nobody but who waits for it"
packets() { cat "/sys/class/net/$1/statistics/$2_packets"; }
path_down 2
left=$(packets e1 tx) came=$(packets e2 rx)
has_left() { [ "$(packets e1 tx)" -gt "$left" ]; }
timeout 60 ibv_rc_pingpong -d rxe2 -g 1 -n 20 >"$scratch/server" 2>&1 &
server=$!
listening 18515
timeout 60 ibv_rc_pingpong -d rxe1 -g 1 -n 20 10.8.0.2 >"$scratch/client" 2>&1 &
client=$!
until_true 30 has_left || die "nothing has left host 1"
sleep 0.5
[ "$(packets e2 rx)" = "$came" ] || die "packets have come to host 2"
kill -0 $client $server || die "they have ended"
kill $client $server
wait $client $server || true
grep -q ACTIVE /sys/class/infiniband/rxe2/ports/1/state || die "the port is down"
path_up 2
crossing "1 2" pair ibv_rc_pingpong 1 2 -n 20

step "memory can be locked only as far as the limit allows"
registers() {
    # It becomes what is killed.
    become_with_memlock "$1" timeout 60 ibv_rc_pingpong -d rxe1 -g 1 -s 4194304 >"$scratch/server" 2>&1 &
    local server=$! status=0
    tried() { ! kill -0 $server 2>/dev/null || listens 18515; }
    until_true 30 tried || die "it neither registers nor fails"
    kill $server 2>/dev/null || true
    wait $server || status=$?
    ! grep -q "Couldn't register MR" "$scratch/server" || return 1
    [ $status = 143 ] || { cat "$scratch/server"; die "what registers memory has ended with $status"; }
}
registers 16384 || die "4 MiB cannot be locked, with a limit of 16"
! registers 1024 || die "4 MiB were locked, with a limit of 1"

step "hosts have names"
[ "$(on_host 2 uname -n)" = host2 ] || die "host 2 has no name"
[ "$(uname -n)" = guest ] || die "the guest has lost its name"

step "nothing is left at the devices"
none_left() { [ -z "$(resources)" ]; }
until_true 20 none_left || die "there is: $(resources)"
