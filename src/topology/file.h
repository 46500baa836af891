#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace toccata {

// A file that cannot be read or written; what() begins with its path and says why.
class FileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// What people and our own commands write has far fewer bytes: tuning files, models, settings.
inline constexpr std::int64_t most_bytes_of_settings = 16 << 20;
// Descriptions of a cluster may be longer, such as what ibnetdiscover prints.
inline constexpr std::int64_t most_bytes_of_topology = 128 << 20;

// The text of a regular file of at most `most_bytes`. Everything else is refused before it is read:
// a pipe or a terminal would be waited for, and every rank reads. FileError.
std::string read_regular_file(const std::string& path, std::int64_t most_bytes);

// "" if a file of some kilobytes can be written there, else why not, with the path. What is there
// stays as it is; missing folders are made if `makes_folders`.
std::string why_not_writable(const std::string& path, bool makes_folders);

}  // namespace toccata
