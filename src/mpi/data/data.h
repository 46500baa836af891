#pragma once

namespace toccata {

// Whether data is copied at all. A simulation of thousands of ranks does not copy data that no
// program reads: messages keep their sizes, and memory is reserved but not touched. It then
// occupies only addresses.
#ifdef TOCCATA_SIMULATED
extern bool data_moves;
#else
inline constexpr bool data_moves = true;
#endif

}  // namespace toccata
