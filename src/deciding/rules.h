#pragma once

#include <cstdint>
#include <vector>

#include "analysis/model.h"
#include "selection/sized_choice.h"
#include "selection/tuning.h"

namespace toccata {

// What the user and the site ask for, as far as decisions depend on it. All ranks of a process have
// the same.
class Rules {
 public:
  // TOCCATA_GUARD: `off` trusts a tuning file or a model; `on` compares them with the MPI library's
  // own; `all` does so even if another algorithm may give other bits.
  enum class Guarding : std::uint8_t { off, on, all };
  Guarding guarding() const { return guarding_; }

  // TOCCATA_<COLLECTIVE>; native if it asks for nothing.
  const SizedChoice& asked(const Collective& collective) const;
  // Whether an algorithm of ours is requested.
  bool asks_for(const Collective& collective) const { return !asked(collective).native(); }
  // Whether the library chooses by itself how to serve a collective: TOCCATA is not off, and
  // nothing is requested. Of collectives among neighbours only a tuning file decides.
  bool chooses(const Collective& collective) const;
  // TOCCATA is not off.
  bool is_on() const { return chooses_; }
  // Whether TOCCATA_<COLLECTIVE> names what serves a collective, be it native.
  bool names(const Collective& collective) const;
  // Whether decisions are made before the first call.
  bool decides_at_once() const { return guarding_ == Guarding::off || has_files(); }

  // What TOCCATA_TUNING names, or the first file for this MPI and such nodes among the user's and
  // the site's; and what earlier runs learned (TOCCATA_LEARN). Empty if there is none.
  const Tuning& tuning() const { return tuning_; }
  const Tuning& learned() const { return learned_; }
  bool has_files() const { return !tuning_.points.empty() || !learned_.points.empty(); }
  // Whether this run writes what it learns.
  bool learns() const { return learns_; }
  // TOCCATA_MODEL, or the usual one.
  const Model& model() const { return model_; }
  // Whether somebody wants to know what no algorithm is below by the model.
  bool wants_bounds() const { return wants_bounds_; }
  // TOCCATA_REPRODUCIBLE: whether reductions must give the same bits wherever ranks run and however
  // long the message.
  bool reproducible() const { return reproducible_; }
  // TOCCATA_REORDER: whether algorithms of ours run with their ranks played by others.
  Reorder reorder() const { return reorder_; }

 protected:
  Rules() = default;
  ~Rules() = default;
  // To be called before anything is requested.
  void know_collectives();

  struct Asked {
    const Collective* collective;
    SizedChoice choice = {};
    bool is_set = false;
  };
  std::vector<Asked> asked_;  // empty: nothing is
  bool chooses_ = false;
  Guarding guarding_ = Guarding::on;
  Tuning tuning_, learned_;
  bool learns_ = false, wants_bounds_ = false;
  Model model_;
  bool reproducible_ = false;
  Reorder reorder_ = Reorder::off;
};

}  // namespace toccata
