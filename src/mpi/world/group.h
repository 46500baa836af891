#pragma once

#include <mpi.h>

#include <span>

namespace toccata {

// An MPI group that is freed at the end of its scope.
class Group {
 public:
  explicit Group(MPI_Comm comm) { PMPI_Comm_group(comm, &group_); }
  // Some ranks of another group.
  Group(MPI_Group all, std::span<const int> ranks) {
    PMPI_Group_incl(all, static_cast<int>(ranks.size()), ranks.data(), &group_);
  }
  // A group that the caller has made. (In some MPIs, groups and communicators have the same type.)
  struct Made {
    MPI_Group group = MPI_GROUP_NULL;
  };
  explicit Group(Made made) : group_(made.group) {}
  ~Group() {
    if (group_ != MPI_GROUP_NULL) PMPI_Group_free(&group_);
  }
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;
  operator MPI_Group() const { return group_; }

 private:
  MPI_Group group_ = MPI_GROUP_NULL;
};

}  // namespace toccata
