#pragma once

#include <mpi.h>

#include <cstdint>
#include <limits>
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
  static constexpr std::int64_t all_calls = std::numeric_limits<std::int64_t>::max();

  // Calls of one collective and of about one size.
  struct Calls {
    const Collective* collective = nullptr;
    std::int64_t least = -1, most = SizedChoice::most_bytes;  // bytes
    // So many that come next are the MPI library's. Those after them are the bucket's; or, where
    // none is wanted, served by one algorithm for all sizes.
    std::int64_t left = 0;
    Bucket* bucket = nullptr;
    bool wants_bucket = false;
    bool rounds = false;  // see Operation::rounds
  };

  // Those that this one is of; `bytes` is its Operation::unit. It is one more of them.
  Calls& of(const Operation& call, std::int64_t bytes) {
    Calls* found = known(call, bytes);
    if (found == nullptr) found = &make(call, bytes);
    if (found->left == 0 && found->wants_bucket) make_bucket(*found, call);
    return *found;
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
  Calls& make(const Operation& call, std::int64_t bytes);
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
  std::vector<Calls> calls_;  // no longer than it has to be: there may be many communicators
  std::vector<std::unique_ptr<Bucket>> buckets_;
};

}  // namespace toccata
