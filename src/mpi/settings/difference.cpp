#include "mpi/settings/difference.h"

#include <map>
#include <numeric>
#include <sstream>
#include <vector>

#include "mpi/settings/settings.h"

namespace toccata {

namespace {

using Lines = std::map<std::string, std::string>;

Lines lines_of(const std::string& text) {
  Lines result;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    const std::size_t equals = line.find('=');
    result[line.substr(0, equals)] = line.substr(equals + 1);
  }
  return result;
}

// `missing` if there is no such name.
std::string value_in(const Lines& lines, const std::string& name, const std::string& missing) {
  const auto found = lines.find(name);
  return found == lines.end() ? missing : "'" + found->second + "'";
}

// The first name with different values; "" if there is none.
std::string first_difference(const Lines& one, const Lines& other) {
  for (const Lines& lines : {one, other})
    for (const auto& [name, value] : lines)
      if (name != "host" && value_in(one, name, "") != value_in(other, name, "")) return name;
  return "";
}

// For a sentence about a difference.
struct Description {
  std::string subject, missing, remedy;
};

Description described(const std::string& name) {
  if (name.starts_with("TOCCATA"))
    return {name, "not set",
            "pass it to all ranks (Open MPI: mpirun -x " + name + ", MPICH: mpiexec -genvall)"};
  if (name.starts_with("hidden"))
    return {"the list of collectives that another tool hides from Toccata", "empty",
            "use that tool on all ranks or on none"};
  if (name == "Toccata")
    return {"the version of Toccata", "unknown", "preload the same library on all ranks"};
  return {"the digest of the " + name, "missing", "use the same file on all ranks"};
}

}  // namespace

std::string difference_of_settings(MPI_Comm comm) {
  int rank = 0, p = 0;
  PMPI_Comm_rank(comm, &rank);
  PMPI_Comm_size(comm, &p);
  const Settings& settings = Settings::get();
  const std::string mine =
      settings.text() + settings.files_text() + "host=" + processor_name() + "\n";
  const int length = static_cast<int>(mine.size());
  std::vector<int> lengths(rank == 0 ? p : 0), places(lengths.size());
  // On a broken communicator there is nothing to compare.
  if (PMPI_Gather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, comm) != MPI_SUCCESS)
    return "";
  std::exclusive_scan(lengths.begin(), lengths.end(), places.begin(), 0);
  std::string all(rank == 0 ? places.back() + lengths.back() : 0, ' ');
  if (PMPI_Gatherv(mine.data(), length, MPI_CHAR, all.data(), lengths.data(), places.data(),
                   MPI_CHAR, 0, comm) != MPI_SUCCESS ||
      rank != 0)
    return "";
  const Lines own = lines_of(mine);
  for (int other = 1; other < p; ++other) {
    const Lines theirs = lines_of(all.substr(places[other], lengths[other]));
    const std::string name = first_difference(own, theirs);
    if (name.empty()) continue;
    const auto [what, missing, remedy] = described(name);
    return what + " is " + value_in(own, name, missing) + " on rank 0 (" + own.at("host") +
           "), but " + value_in(theirs, name, missing) + " on rank " + std::to_string(other) +
           " (" + theirs.at("host") + ") of " + std::to_string(p) + " ranks; " + remedy;
  }
  return "";
}

}  // namespace toccata
