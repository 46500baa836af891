#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "selection/choice.h"

namespace toccata {

// What the environment says, which is the same for all ranks of a process and does not change. Read
// at the first call.
class Settings {
 public:
  static const Settings& get();
  // Whether anybody has.
  static bool were_read();

  // Whether the MPI library in this process is of the kind that we were built for; where it is not,
  // nothing is asked for, and the complaints say so.
  bool is_our_mpi() const { return is_our_mpi_; }

  // Prints what could not be understood, where that is `here`: the first time, and never again.
  void complain(bool here) const;

  // Whether calls of a collective concern us at all.
  bool concern(const Collective& collective) const {
    return reporting_ || asks_for(collective) || (reproducible_ && collective.reduces);
  }
  // Whether an algorithm of ours is asked for.
  bool asks_for(const Collective& collective) const { return !asked(collective).native(); }
  bool ask_for_anything() const { return asks_; }
  // Whether one of those goes by where ranks run.
  bool go_by_places() const { return by_places_; }

  // TOCCATA_<COLLECTIVE>; native where it asks for nothing or for what cannot be.
  const Choice& asked(const Collective& collective) const;
  // TOCCATA_REPRODUCIBLE: whether reductions must give the same bits wherever ranks run and however
  // long the message.
  bool reproducible() const { return reproducible_; }
  // TOCCATA_REPORT: whether to count and time calls.
  bool reporting() const { return reporting_; }

  // What has to be alike on all ranks, as "NAME=value" in lines, and its digest.
  const std::string& text() const { return text_; }
  std::uint64_t digest() const { return digest_; }

 private:
  Settings();
  bool is_on(const char* name);
  void complain_of_names();

  std::vector<std::pair<const Collective*, Choice>> asked_;
  bool is_our_mpi_ = true;
  bool asks_ = false, by_places_ = false;
  bool reproducible_ = false, reporting_ = false;
  std::vector<std::string> complaints_;  // a line each
  std::string text_;
  std::uint64_t digest_ = 0;
};

// Whether this is rank 0 of its job, as the launcher says in the environment; true where it does
// not.
bool is_first_rank();

// Where ranks of `comm` differ in what has to be alike: one sentence that names it and a host of
// each kind, on rank 0; "" on the others. Collective, by waiting.
std::string difference_of_settings(MPI_Comm comm);

// FNV-1a
std::uint64_t digest(std::string_view text);

// MPI_Get_processor_name
std::string processor_name();

}  // namespace toccata
