#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "mpi/execution.h"

namespace toccata {

// A vector form by an algorithm for blocks alike: ranks agree on the size of the largest block by
// an allgather of every rank's own, and exchange all blocks padded to that size. For small blocks
// that do not differ much; logarithmic algorithms cannot serve a vector form otherwise, since no
// rank knows the sizes of the blocks that pass through it.
//
// Has the interface of an Execution.
class Padding {
 public:
  Binding binding;
  void complete(const Plan&) {}  // what is padded is a copy already

  int prepare(const Plan& plan, MPI_Comm comm, int rank, int first_tag);
  int run(Background& background);
  int start();
  int test(bool& done);

 private:
  int pad();
  int unpad();
  void note(int code) { error_ = error_ == MPI_SUCCESS ? code : error_; }

  const Plan* plan_ = nullptr;
  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0;
  int first_tag_ = 0;
  std::int64_t own_ = 0;            // bytes of our largest block
  std::vector<std::int64_t> each_;  // ... and of every rank's
  static constexpr std::int64_t size_bytes = sizeof(std::int64_t);
  std::int64_t slot_ = 0;     // bytes of a padded block and its size
  char* received_ = nullptr;  // the padded blocks that come
  bool padded_ = false;
  int error_ = MPI_SUCCESS;  // the first
  Execution agreement_;
  Execution exchange_;
  Layout slots_;  // the padded blocks
  Arena memory_;
};

}  // namespace toccata
