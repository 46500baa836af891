#pragma once

#include <string_view>
#include <vector>

#include "choices/rule_table.h"

namespace toccata {

// All libraries that we recognise (rules/*.rules).
const std::vector<MpiLibrary>& mpi_libraries();

// The library with this version text; null for an unknown one. Vendors whose MPI derives from
// another one name both. Of several signs, the longest counts, for a version with its own rules.
const MpiLibrary* mpi_library_of(std::string_view text);

// The version in this text of a known library, such as 401 for "Open MPI v4.1.4"; 0 if there is
// none.
int version_of(std::string_view text);

// Whether our tests run with the version of this text.
bool is_tested(std::string_view text);

}  // namespace toccata
