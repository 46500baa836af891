#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "choices/choice.h"
#include "costs/model.h"
#include "networks/links.h"
#include "topology/placement.h"

namespace toccata {

// A model, and the seconds per byte that leaves or enters an object, for all its ranks.
struct Rates {
  Model model;
  std::vector<double> limits;
};

// The work of an algorithm in blocks, by rounds; of consecutive equal rounds, only the first.
struct Sketch {
  struct Load {
    std::int32_t messages = 0;
    float blocks = 0, scattered = 0;  // scattered: those of several pieces
    bool operator==(const Load&) const = default;
  };
  // One rank's part in a round.
  struct Part {
    std::vector<Load> out = {}, in = {};  // by level of the model
    float copied = 0, reduced = 0;
    float written = 0, read = 0;  // published blocks
    int readings = 0;
    float busiest = 0;  // blocks on the busiest mesh link, if all ranks send equally far
    bool operator==(const Part&) const = default;
    bool empty() const {
      return out.empty() && in.empty() && copied == 0 && reduced == 0 && written == 0 &&
             readings == 0;
    }
  };
  struct Round {
    std::vector<Part> parts = {};
    std::vector<float> through = {};  // by limit: blocks that leave one region, or enter it
    int times = 1;
    bool like(const Round& other) const { return through == other.through && parts == other.parts; }
  };
  Choice choice = {};
  int parts = 1;
  std::vector<Round> rounds = {};
  float scratch = 0;   // blocks, the maximum of a rank
  float crossing = 0;  // messages that leave the sampled nodes

  // The maximum that a rank sends.
  std::int64_t messages() const;
  // Seconds, for contributions or messages of that many bytes.
  double seconds(const Rates& rates, std::int64_t bytes) const;
  std::size_t memory() const;
};

// Computes sketches for one communicator.
class Sketcher {
 public:
  // `model` states which levels are limited.
  Sketcher(const Collective& collective, const Shape& known, const Model& model);

  // The sketch of an algorithm in a possible and complete shape, for that choice.
  Sketch sketch(const Choice& choice, const Shape& shape) const;

  // That model with its limits.
  Rates rates(const Model& model) const;

 private:
  // The traffic of a node's sampled ranks out of a region, or into it; and the total, if all other
  // ranks are like them.
  struct Crossing {
    int ranks = 0;
    float blocks = 0;
    float all_ranks = 0, all_blocks = 0;
  };
  struct Flow {
    Crossing leaving = {}, entering = {};
  };
  using Flows = std::map<int, std::vector<Flow>>;  // by node and limit

  double limit(const Model& model, int level) const;
  Sketch::Part part_of(int rank, float stands_for, const Schedule& schedule, int round,
                       Flows& flows) const;
  void extend(const Flows& flows, Sketch::Round& round) const;
  float busiest_link(int rank, const Schedule& schedule, std::span<const Message> sends) const;
  int cell(int rank) const;
  bool is_in_memory(int rank, const Message& message) const;
  int level(int a, int b) const;

  const Placement* placement_;
  const Machine* machine_;
  bool prices_publishing_;
  const Regions* nodes_ = nullptr;
  std::optional<Links> links_;           // if the machine is a mesh
  std::vector<int> limited_;             // levels of the machine
  std::vector<const Regions*> regions_;  // the objects of these levels
  std::vector<int> level_of_;            // of the model, by level of the machine
  std::map<int, float> asked_;
};

}  // namespace toccata
