#pragma once

#include <vector>

#include "costs/model.h"

namespace toccata {

// A typical cluster, for unknown machines: 2 us and 10 GB/s per message between nodes, 0.4 us and 5
// GB/s inside one. Assumed, not measured.
const Model& usual_model();

// The usual model with Ethernet by TCP, from 100 Gb/s to 1 Gb/s: a message of 8 bytes takes 18 to
// 35 us. The levels are the same, and the same of them are limited.
const std::vector<Model>& ethernets();

}  // namespace toccata
