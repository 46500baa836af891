#include "topology/file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace toccata {

namespace {

// Closed at the end of its scope.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  operator int() const { return number_; }
  // Some errors of writing come no earlier.
  bool close() { return number_ < 0 || ::close(std::exchange(number_, -1)) == 0; }

 private:
  int number_;
};

// "" for a regular file.
std::string kind_of(mode_t mode) {
  if (S_ISREG(mode)) return "";
  if (S_ISDIR(mode)) return "is a folder; give a file";
  if (S_ISFIFO(mode)) return "is a pipe; give a file";
  if (S_ISSOCK(mode)) return "is a socket; give a file";
  return "is a device; give a file";
}

std::string reason(int error) {
  return error == ENOENT ? "there is no such file; check the path" : std::strerror(error);
}

std::string size_text(std::int64_t bytes) { return std::to_string(bytes >> 20) + " MiB"; }

}  // namespace

// Opening a device or a pipe may already have an effect, so look first; and again at what was
// opened.
std::string read_regular_file(const std::string& path, std::int64_t most_bytes) {
  const auto fail = [&](const std::string& why) { throw FileError(path + ": " + why); };
  struct stat status = {};
  const auto check = [&](int result) {
    if (result != 0) fail("cannot be read: " + reason(errno));
    if (const std::string kind = kind_of(status.st_mode); !kind.empty()) fail(kind);
    if (status.st_size > most_bytes)
      fail("has " + size_text(status.st_size) + "; files of up to " + size_text(most_bytes) +
           " are read");
  };
  check(stat(path.c_str(), &status));
  const Descriptor file(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
  if (file < 0) fail("cannot be read: " + reason(errno));
  check(fstat(file, &status));
  // The size is that of a file that no program writes to meanwhile; in /proc it is 0.
  std::string text;
  static constexpr std::size_t piece = 1 << 16;
  for (std::size_t length = 0;;) {
    text.resize(length + std::max<std::size_t>(piece, static_cast<std::size_t>(status.st_size)));
    const ssize_t got = read(file, text.data() + length, text.size() - length);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail("cannot be read: " + reason(errno));
    length += static_cast<std::size_t>(got);
    if (got == 0) {
      text.resize(length);
      return text;
    }
    if (static_cast<std::int64_t>(length) > most_bytes)
      fail("has more than " + size_text(most_bytes) + "; larger files are not read");
  }
}

std::string why_not_writable(const std::string& path, bool makes_folders) {
  const auto because = [&](const std::string& why) { return path + ": " + why; };
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (makes_folders && !folder.empty()) std::filesystem::create_directories(folder, error);
  struct stat status = {};
  if (stat(path.c_str(), &status) == 0) {
    if (const std::string kind = kind_of(status.st_mode); !kind.empty()) return because(kind);
    if (access(path.c_str(), W_OK) != 0)
      return because("cannot be written: " + std::string(std::strerror(errno)));
  }
  // A file system that is full says so when bytes are written, or when the file is closed.
  const std::string probe = path + ".probe." + std::to_string(getpid());
  Descriptor made(open(probe.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (made < 0)
    return because(errno == ENOENT ? "cannot be written: its folder does not exist"
                                   : "cannot be written: " + std::string(std::strerror(errno)));
  const std::string bytes(4096, ' ');
  int failure = errno = 0;
  if (write(made, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size()))
    failure = errno == 0 ? ENOSPC : errno;
  if (!made.close() && failure == 0) failure = errno;
  unlink(probe.c_str());
  return failure == 0 ? "" : because("cannot be written: " + std::string(std::strerror(failure)));
}

}  // namespace toccata
