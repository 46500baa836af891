#include "mpi/agreement/hydra_answers.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <unistd.h>

#include "topology/process_mapping.h"

namespace toccata {

namespace {

// As long as the longest line of version 1 of PMI.
using Line = std::array<char, 1024>;

constexpr const char* get = "cmd=get kvsname=%s key=%s\n";

struct Connection {
  int socket = -1;  // -1: no answer was written
  int rank = 0;
  std::array<char, 257> job{};
  std::array<char, 1024> mapping{};  // of the ranks to nodes
};
Connection connection;

int number_in(const char* variable) {
  const char* const text = std::getenv(variable);
  int number = -1;
  if (text != nullptr) std::from_chars(text, text + std::strlen(text), number);
  return number;
}

// Hydra sets this variable for every rank. Other launchers with a PMI_FD may expect another version
// of PMI.
bool is_hydra() { return std::getenv("MPI_LOCALNRANKS") != nullptr; }

// The value of `name` in a line such as "cmd=get_result rc=0 value=1"; empty if it has none.
std::string_view value_in(std::string_view line, std::string_view name) {
  while (!line.empty()) {
    const std::string_view word = line.substr(0, line.find(' '));
    if (word.starts_with(name) && word.substr(name.size()).starts_with('='))
      return word.substr(name.size() + 1);
    line.remove_prefix(std::min(word.size() + 1, line.size()));
  }
  return {};
}

// Repeats a call of the system that a signal ends early, such as that of a profiler's timer.
template <typename Call>
ssize_t complete(Call&& call) {
  ssize_t result = 0;
  do result = call();
  while (result < 0 && errno == EINTR);
  return result;
}

// Sends a command, and returns the line that Hydra returns; empty if it is too long, and after an
// error. Waits as long as the MPI library would: a line that arrives later would be the wrong
// answer to its next command.
std::string_view ask(int socket, Line& line, int length) noexcept {
  if (length <= 0 || length >= static_cast<int>(line.size())) return {};
  const auto bytes = static_cast<std::size_t>(length);
  if (complete([&] { return write(socket, line.data(), bytes); }) != length) return {};
  for (std::size_t got = 0;; ++got) {
    // Byte by byte, because the next line belongs to the MPI library.
    char byte = 0;
    if (complete([&] { return read(socket, &byte, 1); }) != 1) return {};
    if (byte == '\n') return {line.data(), got < line.size() ? got : 0};
    if (got < line.size()) line[got] = byte;
  }
}

}  // namespace

// MPICH's Hydra 4.0 forgets all values from before the first "init", so this begins with one. The
// MPI library sends its own, which then changes nothing.
void HydraAnswers::write(std::uint64_t answer) noexcept {
  const int socket = number_in("PMI_FD"), rank = number_in("PMI_RANK");
  if (socket < 0 || rank < 0 || connection.socket >= 0 || !is_hydra()) return;
  Line line;
  const auto fill = [&](const char* form, auto... values) {
    return std::snprintf(line.data(), line.size(), form, values...);
  };
  if (value_in(ask(socket, line, fill("%s", "cmd=init pmi_version=1 pmi_subversion=1\n")),
               "pmi_version") != "1")
    return;
  const std::string_view job =
      value_in(ask(socket, line, fill("%s", "cmd=get_my_kvsname\n")), "kvsname");
  if (job.empty() || job.size() >= connection.job.size()) return;
  job.copy(connection.job.data(), job.size());
  const int length = fill("cmd=put kvsname=%s key=toccata-%d value=%llu\n", connection.job.data(),
                          rank, static_cast<unsigned long long>(answer));
  if (value_in(ask(socket, line, length), "rc") != "0") return;
  value_in(ask(socket, line, fill(get, connection.job.data(), "PMI_process_mapping")), "value")
      .copy(connection.mapping.data(), connection.mapping.size() - 1);
  connection.socket = socket;
  connection.rank = rank;
}

bool HydraAnswers::are_distributed() noexcept {
  return connection.socket >= 0 && of(connection.rank) != 0;
}

std::uint64_t HydraAnswers::of(int rank) noexcept {
  Line line;
  std::array<char, 32> key;
  std::snprintf(key.data(), key.size(), "toccata-%d", rank);
  const int length =
      std::snprintf(line.data(), line.size(), get, connection.job.data(), key.data());
  const std::string_view found = ask(connection.socket, line, length);
  const std::string_view text = value_in(found, "rc") == "0" ? value_in(found, "value") : "";
  std::uint64_t answer = 0;
  std::from_chars(text.data(), text.data() + text.size(), answer);
  return answer;
}

std::vector<int> HydraAnswers::ranks_on_node() {
  if (connection.socket < 0) return {};
  const std::vector<int> nodes = nodes_of_mapping(connection.mapping.data(), number_in("PMI_SIZE"));
  const auto p = static_cast<int>(nodes.size());
  std::vector<int> ranks;
  for (int rank = 0; rank < p && connection.rank < p; ++rank)
    if (nodes[rank] == nodes[connection.rank]) ranks.push_back(rank);
  return ranks;
}

}  // namespace toccata
