#include "mpi/execution/copying.h"

#include <algorithm>
#include <climits>
#include <cstring>
#include <numeric>

#include "mpi/data/data.h"

namespace toccata {

std::int64_t total_bytes(const std::vector<Run>& runs) {
  return std::accumulate(runs.begin(), runs.end(), std::int64_t{0},
                         [](std::int64_t sum, const Run& run) { return sum + run.bytes(); });
}

bool all_plain(const std::vector<Run>& runs) {
  return std::ranges::all_of(runs, [](const Run& run) { return run.traits->plain; });
}

namespace {

// A run in the form that MPI_Pack takes. If a datatype contains its own address, MPICH refuses
// MPI_BOTTOM as the buffer; such a datatype gets the address of its data instead.
struct Packable {
  void* address;
  int elements;
  MPI_Datatype type;
  OwnedDatatype moved;
};

int make_packable(const Run& run, Packable& made) {
  made = {run.address, static_cast<int>(run.elements), run.traits->type, {}};
  if (run.address != nullptr || run.bytes() == 0) return MPI_SUCCESS;
  MPI_Aint lower, extent;
  PMPI_Type_get_true_extent(run.traits->type, &lower, &extent);
  made.address = reinterpret_cast<void*>(lower);
  made.elements = 1;
  const int code = make_datatype({run}, made.moved, made.address);
  made.type = made.moved.get();
  return code;
}

// Calls move(packable, bytes) for each piece of a run. MPI packs at most INT_MAX bytes at a time.
template <typename Move>
int for_each_piece(const Run& run, Move&& move) {
  const std::int64_t size = std::max<std::int64_t>(run.traits->size, 1);
  const std::int64_t most = std::max<std::int64_t>(INT_MAX / size, 1);
  for (std::int64_t done = 0; done < run.elements; done += most) {
    const Run piece{run.address + done * run.traits->extent, std::min(most, run.elements - done),
                    run.traits};
    Packable packable;
    if (int code = make_packable(piece, packable); code != MPI_SUCCESS) return code;
    if (int code = move(packable, static_cast<int>(piece.bytes())); code != MPI_SUCCESS)
      return code;
  }
  return MPI_SUCCESS;
}

}  // namespace

int pack_runs(std::span<const Run> runs, char* packed, MPI_Comm comm) {
  if (!data_moves) return MPI_SUCCESS;
  for (const Run& run : runs) {
    if (run.traits->plain) {
      std::memcpy(packed, run.address, static_cast<std::size_t>(run.bytes()));
      packed += run.bytes();
      continue;
    }
    const int code = for_each_piece(run, [&](const Packable& from, int bytes) {
      int position = 0;
      const int its =
          PMPI_Pack(from.address, from.elements, from.type, packed, bytes, &position, comm);
      packed += bytes;
      return its;
    });
    if (code != MPI_SUCCESS) return code;
  }
  return MPI_SUCCESS;
}

int unpack_runs(const char* packed, std::span<const Run> runs, MPI_Comm comm) {
  if (!data_moves) return MPI_SUCCESS;
  for (const Run& run : runs) {
    if (run.traits->plain) {
      std::memcpy(run.address, packed, static_cast<std::size_t>(run.bytes()));
      packed += run.bytes();
      continue;
    }
    const int code = for_each_piece(run, [&](const Packable& into, int bytes) {
      int position = 0;
      const int its =
          PMPI_Unpack(packed, bytes, &position, into.address, into.elements, into.type, comm);
      packed += bytes;
      return its;
    });
    if (code != MPI_SUCCESS) return code;
  }
  return MPI_SUCCESS;
}

namespace {

// Copies the bytes of plain runs by move(into, from, bytes). The borders of runs may differ. `from`
// has at most the bytes of `into`.
template <typename Move>
void copy_plain(const std::vector<Run>& from, const std::vector<Run>& into, Move&& move) {
  auto target = into.begin();
  std::int64_t filled = 0;
  for (const Run& source : from) {
    for (std::int64_t taken = 0; taken < source.bytes();) {
      if (filled == target->bytes()) {
        ++target;
        filled = 0;
        continue;
      }
      const auto bytes = std::min(source.bytes() - taken, target->bytes() - filled);
      move(target->address + filled, source.address + taken, static_cast<std::size_t>(bytes));
      taken += bytes;
      filled += bytes;
    }
  }
}

// For runs of which one side or both are on a device; a run is never partly on a device.
int copy_on_device(const std::vector<Run>& from, const std::vector<Run>& into,
                   const DeviceRuntime& devices) {
  std::vector<DeviceCopy> copies;
  const char* there = nullptr;
  copy_plain(from, into, [&](char* target, const char* source, std::size_t bytes) {
    const char* const device = devices.is_device(source)   ? source
                               : devices.is_device(target) ? target
                                                           : nullptr;
    if (device == nullptr) {
      std::memcpy(target, source, bytes);
      return;
    }
    there = device;
    copies.push_back({.into = target, .from = source, .bytes = bytes});
  });
  return copies.empty() || devices.copy(copies, there) ? MPI_SUCCESS : MPI_ERR_OTHER;
}

// Copies between any datatypes of the same signature as a message to ourselves.
int copy_by_message(const std::vector<Run>& from, const std::vector<Run>& into,
                    const Transport& transport) {
  OwnedDatatype from_type, into_type;
  if (int code = make_datatype(from, from_type); code != MPI_SUCCESS) return code;
  if (int code = make_datatype(into, into_type); code != MPI_SUCCESS) return code;
  return transport.to_self(MPI_BOTTOM, from_type.get(), MPI_BOTTOM, into_type.get());
}

}  // namespace

int copy_runs(const std::vector<Run>& from, const std::vector<Run>& into,
              const Transport& transport, const DeviceRuntime* devices) {
  if (from.empty() || !data_moves) return MPI_SUCCESS;
  const bool in_place = from.size() == 1 && into.size() == 1 &&
                        from[0].address == into[0].address &&
                        from[0].traits->type == into[0].traits->type;
  if (in_place) return MPI_SUCCESS;
  const std::int64_t bytes = total_bytes(from), room = total_bytes(into);
  if (bytes > room) return MPI_ERR_TRUNCATE;
  if (bytes == 0) return MPI_SUCCESS;
  if (all_plain(from) && all_plain(into)) {
    if (devices != nullptr) return copy_on_device(from, into, *devices);
    copy_plain(from, into, [](char* target, const char* source, std::size_t moved) {
      std::memcpy(target, source, moved);
    });
    return MPI_SUCCESS;
  }
  // By packing, unless one side is packed. A message to ourselves does not help: in messages of
  // 8 KiB and more, MPICH 4.0 truncates records of several basic datatypes.
  if (bytes == room && bytes <= INT_MAX) {
    if (from.size() == 1 && from[0].traits->plain)
      return unpack_runs(from[0].address, into, transport.comm());
    if (into.size() == 1 && into[0].traits->plain)
      return pack_runs(from, into[0].address, transport.comm());
    std::vector<char> packed(bytes);
    const int code = pack_runs(from, packed.data(), transport.comm());
    return code == MPI_SUCCESS ? unpack_runs(packed.data(), into, transport.comm()) : code;
  }
  return copy_by_message(from, into, transport);
}

// One by one, because each block may have its own datatype.
int copy_blocks(const Layout& from, const Layout& into, int blocks, const Transport& transport,
                const DeviceRuntime* devices) {
  if (from.is_uniform() && into.is_uniform()) {
    Run source = from.block(0), target = into.block(0);
    source.elements *= blocks;
    target.elements *= blocks;
    return copy_runs({source}, {target}, transport, devices);
  }
  int error = MPI_SUCCESS;
  for (int block = 0; block < blocks; ++block) {
    const Run source = from.block(block), target = into.block(block);
    if (source.bytes() == 0) continue;
    const int code = copy_runs({source}, {target}, transport, devices);
    if (error == MPI_SUCCESS) error = code;
  }
  return error;
}

}  // namespace toccata
