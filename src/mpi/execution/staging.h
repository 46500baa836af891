#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mpi/data/datatype.h"
#include "mpi/data/operation.h"
#include "mpi/devices/device_memory.h"
#include "mpi/execution/plan.h"

namespace toccata {

// The runtimes of a valid call's buffers in device memory; null for host memory. The call has to
// outlive this object.
class Places {
 public:
  Places(const Operation& call, const Seat& seat, const DatatypeTable& datatypes);
  bool any() const { return of_sent != nullptr || of_received != nullptr; }
  const DeviceRuntime* any_of_both() const { return of_sent != nullptr ? of_sent : of_received; }
  bool differ() const {
    return of_sent != nullptr && of_received != nullptr && of_sent != of_received;
  }

  // The data that the call reads. The second function returns the data that it writes. For a
  // reduction, count and datatype are arguments of recv; in place, its operands are in recv.
  Side sent() const;
  Side received() const;
  bool reads_operands() const { return call_.collective.reduces && call_.send.in_place(); }
  const DeviceRuntime *of_sent = nullptr, *of_received = nullptr;

 private:
  const Operation& call_;
  int rank_;
};

// Handles buffers of a call in the memory of a GPU. If the MPI library accepts such buffers, and
// the call only moves data, messages use them directly. Otherwise images in host memory replace the
// buffers: the rank copies the data to read before the call begins, and the written data after it
// has ended. Other ranks do not notice, because the messages are the same.
//
// An image has the layout of the buffer, from the first byte that the call touches to the last. But
// only data is copied, because the program may change the bytes between meanwhile.
class Staging {
 public:
  Staging() = default;
  ~Staging();
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  // Replaces the buffers of a call by images, unless its messages go directly. The call must be
  // valid, run by that plan, and have buffers in device memory. Returns an MPI error code.
  int replace(Operation& call, const Seat& seat, const DatatypeTable& datatypes, const Plan& plan,
              const Places& places);
  bool any() const { return !images_.empty(); }
  // For Binding::devices.
  const DeviceRuntime* direct() const { return direct_; }

  // Both return MPI error codes. After an error the call must continue, because other ranks wait
  // for it.
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
  static bool goes_directly(const Operation& call, const Seat& seat, const DatatypeTable& datatypes,
                            const Plan& plan, const Places& places);
  int make(Side& side, Data read, Data written, const DeviceRuntime& runtime);
  static int copy(const Image& image, const Data& data, bool into_image);

  std::vector<Image> images_;
  const DeviceRuntime* direct_ = nullptr;
};

}  // namespace toccata
