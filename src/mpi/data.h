#pragma once

namespace toccata {

// Whether data is copied at all. A simulation of thousands of ranks does not copy it if no program
// looks at it: messages have their sizes, and memory is reserved but not touched, so that it
// occupies addresses only.
#ifdef TOCCATA_SIMULATED
extern bool data_moves;
#else
inline constexpr bool data_moves = true;
#endif

}  // namespace toccata
