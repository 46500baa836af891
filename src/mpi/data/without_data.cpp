#include "mpi/data/without_data.h"

#include <mpi.h>

#include <cstdlib>
#include <xbt/config.h>

#include "mpi/data/data.h"

// SMPI's default function for the data of a message, which its installed headers do not declare.
void smpi_comm_copy_buffer_callback(simgrid::kernel::activity::CommImpl* message, void* data,
                                    std::size_t bytes);

namespace toccata {

bool data_moves = true;

namespace {

constexpr std::size_t most_copied = 4 << 10;
// For a shorter message, SMPI copies the data when it is sent, and the receiver frees the copy.
std::size_t detached = 0;

void copy_if_short(simgrid::kernel::activity::ActivityImpl* message, void* data,
                   std::size_t bytes) {
  if (bytes <= most_copied)
    smpi_comm_copy_buffer_callback(reinterpret_cast<simgrid::kernel::activity::CommImpl*>(message),
                                   data, bytes);
  else if (bytes < detached)
    std::free(data);
}

}  // namespace

void simulate_without_data() {
  data_moves = false;
  detached = static_cast<std::size_t>(sg_cfg_get_int("smpi/send-is-detached-thresh"));
  smpi_comm_set_copy_data_callback(copy_if_short);
}

}  // namespace toccata
