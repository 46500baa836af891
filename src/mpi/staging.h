#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mpi/datatype.h"
#include "mpi/device_memory.h"
#include "mpi/operation.h"

namespace toccata {

// The host's images of a call's buffers that lie in the memory of a GPU. This rank alone knows of
// them: it copies what the call reads before it begins, and what it wrote when it has ended.
// Messages do not depend on that.
//
// An image has every byte where the buffer has it, from the first that the call touches to the
// last; but only those of the data are copied, as what lies between them may change meanwhile.
class Staging {
 public:
  Staging() = default;
  ~Staging();
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  // Gives a call without a fault images in place of such buffers. Returns an MPI error code.
  int replace(Operation& call, const Seat& seat, const DatatypeTable& datatypes);
  bool any() const { return !images_.empty(); }

  // Return MPI error codes. After an error the call has to go on, as other ranks wait for it.
  int copy_in() const;
  int copy_out() const;

 private:
  // Rows of data at equal distances, from an offset in the buffer on.
  struct Rows {
    std::int64_t offset, bytes, rows, stride;
    std::int64_t end() const { return offset + (rows - 1) * stride + bytes; }
  };
  using Data = std::vector<Rows>;
  struct Image {
    const DeviceRuntime* runtime;
    char* buffer;
    char* memory = nullptr;
    std::int64_t first = 0;  // offset in the buffer
    bool is_pinned = false;
    Data read = {}, written = {};
  };

  static int add(Data& data, const Side& side, int blocks, const DatatypeTable& datatypes);
  static void add_piece(Data& data, std::int64_t offset, std::int64_t bytes);
  int make(Side& side, Data read, Data written, const DeviceRuntime& runtime);
  static int copy(const Image& image, const Data& data, bool into_image);

  std::vector<Image> images_;
};

}  // namespace toccata
