#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "choices/mpi_libraries.h"
#include "choices/rule_table.h"
#include "choices/sized_choice.h"
#include "choices/topology_setting.h"
#include "choices/tuning.h"
#include "costs/model.h"

namespace toccata {

// The settings of the user and the site on which decisions depend. They are the same for all ranks
// of a process.
class Rules {
 public:
  // `off` trusts a tuning file or a model (TOCCATA=model); `on` compares them with the native
  // algorithm; `all` does so even if another algorithm may give different bits (TOCCATA_SUMS=all).
  enum class Guarding : std::uint8_t { off, on, all };
  Guarding guarding() const { return guarding_; }

  // TOCCATA_<COLLECTIVE>; native if it is not set.
  const SizedChoice& asked(const Collective& collective) const;
  // Whether the user requests an algorithm of Toccata.
  bool asks_for(const Collective& collective) const { return !asked(collective).native(); }
  // Whether the library chooses how to serve a collective: TOCCATA is not off, and the user
  // requests no algorithm.
  bool chooses(const Collective& collective) const;
  // TOCCATA is not off.
  bool is_on() const { return chooses_; }
  // Whether TOCCATA_<COLLECTIVE> names an algorithm, including native.
  bool names(const Collective& collective) const;
  // Whether decisions are made before the first call. For rounding sums, this does not depend on
  // results of earlier runs that do not concern them.
  bool decides_at_once(bool keeps_order) const {
    return guarding_ == Guarding::off || !tuning_.points.empty() ||
           (!learned_.points.empty() && (!keeps_order || learns_sums_));
  }

  // The rows for calls under this MPI library, from the file of the site or the shipped one; null
  // if there are none.
  const RuleTable* table() const { return site_table_ ? &*site_table_ : shipped_table(); }
  // The same if its own algorithms can be predicted.
  const RuleTable* own_rules() const {
    return library_ != nullptr && library_->is_predictable ? table() : nullptr;
  }
  // The same if this can also be checked (Ranks::network_facts).
  const RuleTable* checkable_own_rules() const {
    return library_ != nullptr && library_->is_checkable ? own_rules() : nullptr;
  }

  // Whether the collectives of this MPI library consist of messages (MpiLibrary). Otherwise, the
  // rule for networks serves no call.
  bool sends_only_messages() const { return library_ != nullptr && library_->sends_only_messages; }

  // tuning(): the file of TOCCATA_TUNING, or the first file of the user or the site for this MPI
  // and this kind of node. learned(): the results of earlier runs (TOCCATA=learn). Empty if there
  // is none.
  const Tuning& tuning() const { return tuning_; }
  const Tuning& learned() const { return learned_; }
  bool has_files() const { return !tuning_.points.empty() || !learned_.points.empty(); }
  // Whether this run saves its results (TOCCATA=learn).
  bool learns() const { return learns_; }
  // TOCCATA_SUMS=learn: results of earlier runs also decide for floating-point sums, and this run
  // measures candidates for the sums of the next run.
  bool learns_sums() const { return learns_sums_; }
  // The choice that the file of TOCCATA_TOPOLOGY contains for a machine with slow links, if all its
  // nodes have ranks; native if there is none.
  const Choice& around_slow_links(const Collective& collective, std::int64_t bytes) const;
  // The model that TOCCATA_TUNING names, or the default model.
  const Model& model() const { return model_; }
  // Whether the report needs the model's lower bound for all algorithms.
  bool wants_bounds() const { return wants_bounds_; }
  // TOCCATA_SUMS=reproducible: whether reductions must give the same bits for every placement of
  // ranks and every message length.
  bool reproducible() const { return reproducible_; }
  // TOCCATA_TOPOLOGY=reorder:...: whether ranks exchange their roles in algorithms of Toccata.
  Reorder reorder() const { return reorder_; }

 protected:
  Rules() = default;
  ~Rules() = default;
  // Call this before the first request.
  void know_collectives();

  struct Asked {
    const Collective* collective;
    SizedChoice choice = {};
    bool is_set = false;
  };
  const RuleTable* shipped_table() const { return library_ == nullptr ? nullptr : library_->rules; }

  std::vector<Asked> asked_;             // empty: no requests
  const MpiLibrary* library_ = nullptr;  // null if it is unknown
  std::optional<RuleTable> site_table_;
  bool chooses_ = false;
  Guarding guarding_ = Guarding::on;
  Tuning tuning_, learned_;
  TopologyChoices around_slow_links_;
  bool learns_ = false, learns_sums_ = false, wants_bounds_ = false;
  Model model_;
  bool reproducible_ = false;
  Reorder reorder_ = Reorder::off;
};

}  // namespace toccata
