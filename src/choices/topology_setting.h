#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "choices/reorder.h"
#include "choices/sized_choice.h"

namespace toccata {

// The value of TOCCATA_TOPOLOGY, such as "node:4 core:8 placement:cyclic reorder:auto". Every part
// is optional.
struct TopologySetting {
  std::string machine = {};    // a file, or a machine such as "node:4 core:8"
  std::string placement = {};  // of the ranks of MPI_COMM_WORLD on this machine (place)
  // Whether ranks exchange their roles in algorithms of Toccata, and whether MPI_Cart_create and
  // similar functions reorder ranks if reorder = 1 allows it ("reorder:topologies").
  Reorder reorder = Reorder::off;
  bool reorders_topologies = false;
  // Of grids, at most one text per number of dimensions ("weights:1,4,1", parse_cart_weights).
  std::vector<std::string> weights = {};

  // The weights of the dimensions of a grid; "" if none are set for so many dimensions.
  std::string weights_of(int dimensions) const;
};

// ChoiceError if a value of "reorder:" is unknown or one of "weights:" is wrong. `machine` and
// `placement` are not examined.
TopologySetting parse_topology_setting(std::string_view value);

// The rows "choice bcast native<=256K, forestcoll" in the file of a saved machine (read_saved),
// which `machine` names, without the word `choice`. "" if there are none, or if it cannot be read.
std::string choices_in_topology(const std::string& machine);
// The choices of such rows. ChoiceError if one is invalid.
using TopologyChoices = std::vector<std::pair<const Collective*, SizedChoice>>;
TopologyChoices parse_topology_choices(std::string_view rows);

// The parts "reorder:" and "weights:" of the value; "" if there are none.
std::string reorders_text(const TopologySetting& setting);

}  // namespace toccata
