#pragma once

#include <mpi.h>

#include <span>
#include <vector>

#include "mpi/data/binding.h"
#include "mpi/data/datatype.h"
#include "mpi/data/device_runtime.h"
#include "mpi/execution/transport.h"

namespace toccata {

// Copies the data of `from` to `into`. Both are sequences of runs, whose borders and datatypes may
// differ. Data that memcpy cannot convert is sent as a message to ourselves. If some runs may lie
// in the memory of `devices`, all runs have to be plain. Returns an MPI error code.
int copy_runs(const std::vector<Run>& from, const std::vector<Run>& into,
              const Transport& transport, const DeviceRuntime* devices = nullptr);

// Copies `blocks` blocks that have the same sizes on both sides.
int copy_blocks(const Layout& from, const Layout& into, int blocks, const Transport& transport,
                const DeviceRuntime* devices = nullptr);

// Packs the data of `runs` contiguously at `packed`, in the order of their type maps; and the
// reverse. Both return an MPI error code.
int pack_runs(std::span<const Run> runs, char* packed, MPI_Comm comm);
int unpack_runs(const char* packed, std::span<const Run> runs, MPI_Comm comm);

std::int64_t total_bytes(const std::vector<Run>& runs);
bool all_plain(const std::vector<Run>& runs);

}  // namespace toccata
