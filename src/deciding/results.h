#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "choices/ranking.h"

namespace toccata {

// A digest that is equal for communicators of the same shape, whichever ranks they have. It depends
// on the node of each rank (and its socket, core, ...), numbered by first appearance. It also
// depends on the mesh and the neighbours, if there are any. 0 if the shape does not contain the
// locations of the ranks.
std::uint64_t digest_of(const Shape& known);
// The same for the neighbours that a rank knows.
std::uint64_t digest_of(const Neighborhood& known);

// A number from 1 to 2^52 for a choice: the same on all ranks, different for different choices.
double code_of(const Choice& choice);

// A process's knowledge of its communicators, by shape: the winners of trials, and rankings. Ranks
// have different histories, so a decision uses it only after the ranks of the communicator have
// agreed on it.
class Results {
 public:
  // Calls of one collective and size class, on communicators of one shape.
  struct Key {
    std::uint64_t shape;
    const Collective* collective;
    std::int64_t bytes;    // the largest size of the class
    bool is_open = false;  // nonblocking and persistent calls
    auto operator<=>(const Key&) const = default;
  };

  // A choice of native is not a winner: it deletes the previous winner. Nothing is kept for an
  // unknown shape (0).
  void keep(const Key& key, const Choice& winner);
  std::optional<Choice> winner(const Key& key) const;

  // The ranking of a collective with that root; created if it does not exist.
  std::shared_ptr<const Ranking> ranking(
      std::uint64_t shape, const Collective& collective, int root, const ReorderWish& wish,
      Ranking::Setting setting, const std::function<std::shared_ptr<const Ranking>()>& make);
  // Whether a ranking of all algorithms exists, for any root.
  bool has_ranking(std::uint64_t shape, const Collective& collective) const;

  static constexpr std::size_t most_winners = 1024;
  static constexpr std::size_t most_rankings = 32;

 private:
  struct Ranked {
    std::uint64_t shape;
    const Collective* collective;
    int root;
    ReorderWish wish;
    Ranking::Setting setting;
    std::shared_ptr<const Ranking> ranking;
  };

  mutable std::mutex mutex_;
  std::map<Key, Choice> winners_;
  std::list<Ranked> rankings_;  // the last one used comes first
};

}  // namespace toccata
