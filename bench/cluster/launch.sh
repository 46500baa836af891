#!/bin/bash
# launch.sh LAUNCHER ARGUMENT...: the mpirun or mpiexec of any MPI, across the hosts of up.sh, or of
# names.sh.
#
#   HOSTS=4   number of hosts
#   SLOTS=4   ranks per host, or a list: 5,5,3,3
#   MAP=slot  ranks fill one host after the other. With MAP=node, they go round the hosts; Hydra, the
#             launcher of the MPICH family, then ignores SLOTS. With MAP=own, the arguments place them.
here=$(cd "$(dirname "$0")" && pwd)
real=$1
shift
in_system=()
[ -z "${SYSTEM-}" ] || in_system=(chroot "$SYSTEM") # see system.sh
"${in_system[@]}" test -x "$real" || { echo "$0: there is no '$real'; see $here/../../scripts/test-mpis.sh --wrappers" >&2; exit 1; }
version=$("${in_system[@]}" "$real" --version)
[ "${!#}" != --version ] || { echo "$version"; exit; }
IFS=, read -ra slots <<<"${SLOTS:-4}"
hosts=()
for ((i = 0; i < ${HOSTS:-4}; i++)); do hosts+=("toccata$i:${slots[i]-${slots[0]}}"); done
list=$(IFS=,; echo "${hosts[*]}")

# Where there is a choice, these are variables, because mpirun rejects options that its caller passes
# again. Only root can enter a namespace.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_mpi_yield_when_idle=1
# Windows without UCX, which fails here.
export OMPI_MCA_osc=^ucx
open_mpi=(--mca pml ob1 --mca btl_tcp_if_include eth0)
[ "${MAP-}" = own ] || open_mpi+=(--host "$list" --bind-to none --map-by "${MAP:-slot}")
case $version in
  *"Open MPI) 4"* | *OpenRTE*)
    command=("$real" "${open_mpi[@]}" --mca btl tcp,self,vader
      --mca plm rsh --mca plm_rsh_agent "$here/agent.sh" --mca plm_rsh_no_tree_spawn 1
      --mca orte_keep_fqdn_hostnames 1 --mca oob_tcp_if_include eth0)
    ;;
  *"Open MPI)"*)
    command=("$real" "${open_mpi[@]}" --mca btl tcp,self,sm
      --prtemca plm_ssh_agent "$here/agent.sh" --prtemca plm_ssh_no_tree_spawn 1
      --prtemca prte_keep_fqdn_hostnames 1 --prtemca prte_if_include eth0)
    ;;
  *) # The list of hosts is a file in the first host's own /dev/shm, which ends with the job.
    export HYDRA_LAUNCHER=ssh HYDRA_LAUNCHER_EXEC=$here/agent.sh
    export I_MPI_HYDRA_BOOTSTRAP=ssh I_MPI_HYDRA_BOOTSTRAP_EXEC=$here/agent.sh
    export FI_PROVIDER=tcp FI_TCP_IFACE=eth0 UCX_NET_DEVICES=eth0
    # Waiting ranks of Intel MPI sleep, as long as those of others with sleep_on_yield.so.
    export I_MPI_FABRICS=shm:ofi I_MPI_PIN=0 I_MPI_THREAD_YIELD=3 I_MPI_THREAD_SLEEP=200
    [ "${MAP:-slot}" = slot ] || hosts=("${hosts[@]%:*}") # without numbers, it goes round
    command=("$real" -iface eth0)
    [ "${MAP-}" = own ] || command+=(-machinefile /dev/shm/hosts)
    first="printf '%s\n' ${hosts[*]} >/dev/shm/hosts;"
    ;;
esac
command+=("$@")
exec "$here/agent.sh" toccata0 "${first-} exec ${command[*]@Q}"
