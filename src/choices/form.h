#pragma once

#include <cstdint>

namespace toccata {

// How a program makes a call.
enum class Form : std::uint8_t { blocking, nonblocking, persistent };

}  // namespace toccata
