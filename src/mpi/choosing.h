#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "mpi/operation.h"
#include "selection/sized_choice.h"

namespace toccata {

class Bucket;
class Communicator;

// Who serves the calls of one communicator for which nobody names an algorithm: decided for each
// collective, and range of sizes, when its first call comes.
class Choosing {
 public:
  explicit Choosing(Communicator& communicator);
  ~Choosing();

  // Calls that the MPI library serves before anything is made ready for us to choose.
  static constexpr int first_calls = 32;

  // Calls of one collective and of about one size.
  struct Calls {
    const Collective* collective = nullptr;
    std::int64_t least = -1, most = SizedChoice::most_bytes;  // bytes
    Bucket* bucket = nullptr;
    int number = 0;       // while there is no bucket
    bool rounds = false;  // see Operation::rounds
    enum class By : std::uint8_t {
      service,  // one algorithm for all sizes, or what makes reductions reproducible
      bucket,
      native_for_good,
      native_so_far,  // until calls are so many that a bucket pays
    } by = By::native_for_good;
    bool is_native() const { return by == By::native_for_good || by == By::native_so_far; }
  };

  // Those that this one is of; `bytes` is its Operation::unit. One more call has come.
  Calls& of(const Operation& call, std::int64_t bytes) {
    if (last_ < calls_.size()) {
      Calls& last = calls_[last_];
      if (last.collective == &call.collective && last.least <= bytes && bytes <= last.most &&
          call.operation == last_operation_ && call.recv.type == last_type_ &&
          (last.by != Calls::By::native_so_far || ++last.number <= first_calls))
        return last;
    }
    last_operation_ = call.operation;
    last_type_ = call.recv.type;
    return find(call, bytes);
  }

  // Who was decided on for such calls, for one that must not wait for other ranks; null where
  // nobody was, and a blocking call has to come first.
  Bucket* decided(const Operation& call, std::int64_t bytes);

  // Calls that come after this one are served so. All ranks have to come here.
  void ask(const Collective& collective, SizedChoice choice);

  // To the process, what its buckets know.
  void tell();

 private:
  Calls* known(const Operation& call, std::int64_t bytes);
  Calls& find(const Operation& call, std::int64_t bytes);
  // What is asked for; and whether by size, for those such calls.
  struct Asked {
    SizedChoice choice;
    bool by_size;
    bool reorders;  // in an order that is the model's to find
  };
  Asked asked(const Collective& collective, std::int64_t bytes);
  std::optional<SizedChoice> asked_by_info(const Collective& collective);
  void decide(Calls& made, const Operation& call, std::int64_t bytes);
  void make_bucket(Calls& calls, const Operation& call);

  Communicator& communicator_;
  std::vector<std::pair<const Collective*, SizedChoice>> asked_;  // by name
  std::vector<Calls> calls_;
  std::vector<std::unique_ptr<Bucket>> buckets_;
  // Of the call before.
  std::size_t last_ = 0;
  MPI_Op last_operation_ = MPI_OP_NULL;
  MPI_Datatype last_type_ = MPI_DATATYPE_NULL;
};

}  // namespace toccata
