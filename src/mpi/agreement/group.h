#pragma once

#include <mpi.h>

#include <span>
#include <vector>

namespace toccata {

// An MPI group that is freed at the end of its scope.
class Group {
 public:
  explicit Group(MPI_Comm comm) { PMPI_Comm_group(comm, &group_); }
  // Some ranks of another group.
  Group(MPI_Group all, std::span<const int> ranks) {
    PMPI_Group_incl(all, static_cast<int>(ranks.size()), ranks.data(), &group_);
  }
  ~Group() {
    if (group_ != MPI_GROUP_NULL) PMPI_Group_free(&group_);
  }
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;
  operator MPI_Group() const { return group_; }

 private:
  MPI_Group group_ = MPI_GROUP_NULL;
};

// The ranks of a communicator in MPI_COMM_WORLD; MPI_UNDEFINED for those of other worlds.
std::vector<int> ranks_in_world(MPI_Comm comm);

}  // namespace toccata
