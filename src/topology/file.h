#pragma once

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>

namespace toccata {

// A file that cannot be read or written; what() begins with its path and states the reason.
class FileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Files that people or our own commands write are far smaller: tuning files, models, settings.
inline constexpr std::int64_t most_bytes_of_settings = 16 << 20;
// Descriptions of a cluster may be longer, such as the output of ibnetdiscover.
inline constexpr std::int64_t most_bytes_of_topology = 128 << 20;

// The text of a regular file of at most `most_bytes`. Other kinds of files are rejected before they
// are read: a pipe or a terminal would block, and every rank reads the file. FileError.
std::string read_regular_file(const std::string& path, std::int64_t most_bytes);

// "" if a file of some kilobytes can be written there, otherwise the reason, with the path.
// Existing contents are not changed; missing folders are created if `makes_folders`.
std::string why_not_writable(const std::string& path, bool makes_folders);

// Replaces or creates the file: readers find the old text or the new one, never a part. A new file
// with an unpredictable name takes its place, with the permissions of the old one. A symbolic link
// is replaced, not followed. On FileError, the old file remains.
void replace_file(const std::string& path, const std::string& text);

// Replaces the file by the result of `change` for its text (null if there is no file). Concurrent
// processes do this one after the other, so that no change is lost. After waiting five seconds, a
// process continues anyway. If `change` throws, the file is not changed. FileError.
void update_file(const std::string& path, std::int64_t most_bytes,
                 const std::function<std::string(const std::string* text)>& change);

}  // namespace toccata
