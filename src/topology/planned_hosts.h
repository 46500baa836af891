#pragma once

#include <string>
#include <string_view>

namespace toccata {

// Where `toccata run --place` wants the ranks: the host of each rank, in the order of ranks, with
// the number of ranks that follow each other on the same host:
//
//   a*3,b,a    ranks 0, 1, 2 and 4 on a, rank 3 on b
//
// Returns the reason why that is not so for a rank on `host`, in a program with `ranks` ranks; ""
// if it is, or without a plan. Hosts may have their domains or not.
std::string complaint_of_place(std::string_view plan, int rank, int ranks, std::string_view host);

}  // namespace toccata
