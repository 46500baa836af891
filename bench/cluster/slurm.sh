#!/bin/bash
# slurm.sh COMMAND...: runs a command while Slurm manages HOSTS hosts (default 2) with SLOTS cores each
# (default 4). The hosts are names on this machine, in a network of their own (names.sh). `srun` in the
# command finds them. Needs root, and Debian's packages slurmctld, slurmd, slurm-client and munge.
set -eu
[ -n "${ONLY_NAMES-}" ] || exec "$(dirname "$0")/names.sh" "$0" "$@"
: "${HOSTS:=2}" "${SLOTS:=4}"
folder=$(mktemp -d) last=$((HOSTS - 1)) pids=()
export SLURM_CONF=$folder/slurm.conf
trap 'kill "${pids[@]}" 2>/dev/null || true; wait; rm -rf "$folder"' EXIT

cat >"$SLURM_CONF" <<END
ClusterName=toccata
SlurmctldHost=$(hostname -s)(127.0.0.1)
SlurmctldPort=16817
AuthInfo=socket=$folder/munge.socket
SlurmUser=root
SlurmdUser=root
StateSaveLocation=$folder
SlurmdSpoolDir=$folder/%n
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SlurmdParameters=config_overrides
END
for ((i = 0; i < HOSTS; ++i)); do
  echo "NodeName=toccata$i NodeAddr=127.0.0.1 Port=$((17000 + i)) CPUs=$SLOTS RealMemory=100"
done >>"$SLURM_CONF"
echo "PartitionName=all Nodes=toccata[0-$last] Default=YES" >>"$SLURM_CONF"
echo CgroupPlugin=cgroup/v1 >"$folder/cgroup.conf"  # of which these plugins use nothing
# Each host has a temporary folder of its own, because the files of its PMIx server are named by the job.
mkdir "$folder/own"
echo "PMIxCliTmpDirBase=$folder/own" >"$folder/mpi.conf"

head -c 1024 /dev/urandom >"$folder/munge.key"
chmod 400 "$folder/munge.key"
chmod 755 "$folder"
munged --foreground --force --key-file="$folder/munge.key" --socket="$folder/munge.socket" \
  --pid-file="$folder/munged.pid" --seed-file="$folder/munged.seed" >"$folder/munged.log" 2>&1 &
pids+=($!)
slurmctld -D >"$folder/slurmctld.log" 2>&1 &
pids+=($!)
for ((i = 0; i < HOSTS; ++i)); do
  mkdir "$folder/toccata$i"
  unshare --uts --mount sh -c '
    hostname "$1"
    mount -t tmpfs tmpfs "$2"
    exec slurmd -D -N "$1"' sh "toccata$i" "$folder/own" >"$folder/slurmd$i.log" 2>&1 &
  pids+=($!)
done
for ((waited = 0; ; ++waited)); do
  [ "$(sinfo -h -t idle -o %D 2>/dev/null)" = "$HOSTS" ] && break
  if ((waited == 150)); then
    echo "slurm.sh: after 30 s, not all hosts are idle: $(tail -qn 2 "$folder"/*.log)" >&2
    exit 1
  fi
  sleep 0.2
done
"$@"
