#pragma once

#include <mpi.h>

#include <optional>
#include <string>
#include <vector>

namespace toccata {

// Whether a request ends within ten seconds. Ranks without a request for a report do not take part,
// and rank 0 must not wait for them forever.
bool ends_in_time(MPI_Request& request);

// Collective over `comm`: the texts of all ranks on rank 0, an empty list on the others. Nothing if
// some ranks do not take part in time.
std::optional<std::vector<std::string>> gather_texts(const std::string& mine, MPI_Comm comm);

}  // namespace toccata
