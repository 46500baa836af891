#pragma once

#include <cstdint>

namespace toccata {

// The networks that an unknown machine may have: any, or Ethernet by TCP, whose messages take much
// longer than those inside a node.
enum class NetworkKind : std::uint8_t { any, ethernet };

}  // namespace toccata
