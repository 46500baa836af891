#!/bin/bash
# up.sh: makes hosts toccata0, toccata1, ... on this machine, for `make cluster`. They are network
# namespaces on two leaf switches with one link between them. Needs root, iproute2, iptables and
# libmnl-dev.
#
#   HOSTS=4       number of hosts     DELAY=1000       one way, µs
#   RATE=100mbit  of a host's link    CORE=400mbit     of the link between the leaves
set -Eeuo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$here/../../build/cluster
HOSTS=${HOSTS:-4} DELAY=${DELAY:-1000} RATE=${RATE:-100mbit} CORE=${CORE:-400mbit}
mtu=9000

fail() { echo "cluster: $*" >&2; exit 1; }
[ "$(id -u)" -eq 0 ] || fail "only root can make network namespaces"
for tool in ip tc iptables-legacy-restore; do
  command -v $tool >/dev/null || fail "$tool is missing: apt-get install iproute2 iptables"
done
pkg-config --exists libmnl ||
  fail "headers are missing: apt-get install libmnl-dev pkg-config"
! ip netns list | grep -qw toccata-switches ||
  fail "it is up already; $(cat /run/toccata-cluster 2>/dev/null || echo "$here")/down.sh takes it down"

mkdir -p "$build"
# shellcheck disable=SC2046 # flags are words
c++ -std=c++20 -O2 -Wall -Wextra -o "$build/delayd" "$here/delayd.cpp" $(pkg-config --cflags --libs libmnl)
cc -O2 -shared -fPIC -o "$build/sleep_on_yield.so" "$here/sleep_on_yield.c"

shape() { ip netns exec "$1" tc qdisc replace dev "$2" root tbf rate "$3" burst 9100 limit 4mb; }

trap '"$here/down.sh"' ERR # removes an incomplete setup
echo "$here" >/run/toccata-cluster
ip netns add toccata-switches
ip -n toccata-switches link set lo up
for leaf in 0 1; do
  ip -n toccata-switches link add leaf$leaf type bridge forward_delay 0 mcast_snooping 0
  ip -n toccata-switches link set leaf$leaf mtu $mtu up
done
ip -n toccata-switches link add core0 mtu $mtu type veth peer name core1 mtu $mtu
for leaf in 0 1; do
  ip -n toccata-switches link set core$leaf master leaf$leaf up
  shape toccata-switches core$leaf "$CORE"
done

queues=()
for ((i = 0; i < HOSTS; i++)); do
  leaf=$((2 * i / HOSTS)) address=10.77.0.$((i + 1))
  ip netns add toccata$i
  ip link add eth0 mtu $mtu netns toccata$i type veth peer name port$i mtu $mtu netns toccata-switches
  ip -n toccata-switches link set port$i master leaf$leaf up
  ip -n toccata$i link set lo up
  ip -n toccata$i addr add $address/16 dev eth0
  ip -n toccata$i link set eth0 up
  shape toccata$i eth0 "$RATE"
  shape toccata-switches port$i "$RATE"
  ip -n toccata$i route replace 10.77.0.0/16 dev eth0 src $address congctl cubic
  ip netns exec toccata$i sh -c '
    echo 0 >/proc/sys/net/ipv4/tcp_slow_start_after_idle
    echo 1 >/proc/sys/net/ipv4/tcp_no_metrics_save'
  [ "$DELAY" -gt 0 ] || continue
  # The delay line delays incoming packets. If it is not running, packets pass without delay.
  printf '*filter\n:INPUT ACCEPT\n-A INPUT -i eth0 -j NFQUEUE --queue-num 1 --queue-bypass\nCOMMIT\n' |
    ip netns exec toccata$i iptables-legacy-restore
  queues+=("toccata$i:1:$DELAY")
done
if [ "${#queues[@]}" -gt 0 ]; then
  setsid "$build/delayd" -r 50 -f "$build/delayd.pid" "${queues[@]}" >"$build/delayd.log" 2>&1 </dev/null &
  for _ in $(seq 50); do [ -s "$build/delayd.pid" ] && break; sleep 0.02; done
fi
echo "cluster: $HOSTS hosts are up, $RATE each, $DELAY µs from one to another"
