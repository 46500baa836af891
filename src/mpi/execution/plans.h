#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "choices/choice.h"
#include "mpi/data/roomy_stack.h"
#include "mpi/execution/plan.h"

namespace toccata {

// The plans of a process, by their inputs. All communicators of the same shape share them. Their
// memory is bounded: the least recently used plan is dropped first.
class Plans {
 public:
  // The inputs of a plan. For algorithms that depend on the locations of ranks, `where`
  // distinguishes communicators whose ranks run in different places; 0 for others.
  struct Key {
    const Collective* collective;
    Choice choice;
    int p, rank, root;
    std::uint64_t where;

    bool operator==(const Key& other) const;
    std::size_t hash() const;
  };

  // The plan for a key. If it does not exist yet, shape() returns the known properties of the
  // communicator, with the root. ChoiceError if the algorithm cannot run there.
  template <typename MakeShape>
  std::shared_ptr<const Plan> get(const Key& key, MakeShape&& shape) {
    if (auto found = find(key)) return found;
    const Shape known = shape();
    std::shared_ptr<const Plan> made;
    on_roomy_stack([&] { made = make(key, known); });
    return keep(key, std::move(made));
  }

  // The maximum size of all plans, in bytes.
  static constexpr std::size_t most_memory = 16 << 20;

 private:
  struct Entry {
    Key key;
    std::size_t hash;
    std::shared_ptr<const Plan> plan;
  };

  static std::shared_ptr<const Plan> make(const Key& key, const Shape& known);
  std::shared_ptr<const Plan> find(const Key& key);
  std::shared_ptr<const Plan> keep(const Key& key, std::shared_ptr<const Plan> plan);

  std::mutex mutex_;
  std::list<Entry> entries_;  // the most recently used comes first
  std::unordered_multimap<std::size_t, std::list<Entry>::iterator> by_hash_;
  std::size_t memory_ = 0;
};

}  // namespace toccata
