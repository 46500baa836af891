#pragma once

namespace toccata {

// Whether data is copied at all. A simulation of thousands of ranks goes without where no program
// looks at the data: messages have their sizes, and memory is taken but not touched, so that it
// costs addresses alone.
#ifdef TOCCATA_SIMULATED
extern bool data_moves;
#else
inline constexpr bool data_moves = true;
#endif

}  // namespace toccata
