#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mpi/call/function_names.h"

// A request of toccata.h, with the same declaration as there.
using toccata_request = struct toccata_request_object*;

namespace toccata {

inline constexpr int function_count = sizeof(function_names) / sizeof(*function_names);

enum class Way { blocking, nonblocking, persistent };

// A call for Toccata to serve: the next call of `function` that mpi4py makes on this thread while
// this object exists. For a persistent call, mpi4py makes the nonblocking one: it has the same
// arguments, and every MPI since 3.0 has it.
class Named {
 public:
  // A null `algorithm` leaves the choice to the library.
  Named(int function, Way way, const char* algorithm);
  ~Named();
  Named(const Named&) = delete;
  Named& operator=(const Named&) = delete;

  bool served() const { return served_; }
  toccata_request request() const { return request_; }

  // Counts and displacements, which must live as long as the request.
  using Arrays = std::vector<std::unique_ptr<char[]>>;
  Arrays& arrays() { return arrays_; }

 private:
  friend struct Slots;
  int function_;
  Way way_;
  const char* algorithm_;
  bool served_ = false;
  toccata_request request_ = nullptr;
  Arrays arrays_;
  Named* before_;
};

// The functions of toccata.h that a request needs.
struct Requests {
  int (*start)(toccata_request*);
  int (*run)(toccata_request*);
  int (*wait)(toccata_request*);
  int (*test)(toccata_request*, int*);
  int (*waitall)(int, toccata_request*, int*);
  int (*testall)(int, toccata_request*, int*, int*);
  int (*waitany)(int, toccata_request*, int*);
  int (*testany)(int, toccata_request*, int*, int*);
  int (*free)(toccata_request*);
  int (*finalized)(int*);
};
const Requests& requests();

// The file of the MPI library that `mpi4py`, the file of its module, calls; empty if unknown.
std::string mpi_library_file(const std::string& mpi4py);

// Whether a library of Toccata is preloaded.
bool is_preloaded();

// From now on, named calls of `mpi4py` go to the preloaded library of Toccata, or, without one, to
// that in file `library`. `info_null` is the handle MPI_INFO_NULL. Throws std::runtime_error.
void connect(const std::string& mpi4py, const std::string& library, unsigned long info_null);

}  // namespace toccata
