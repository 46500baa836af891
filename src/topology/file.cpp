#include "topology/file.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>

namespace toccata {

namespace {

// A file descriptor that is closed at the end of its scope.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  operator int() const { return number_; }
  // Some write errors are reported only now.
  bool close() { return number_ < 0 || ::close(std::exchange(number_, -1)) == 0; }

 private:
  int number_;
};

constexpr const char* remedy = "; check the path and its permissions";

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

// Creates a file with that text next to `path`; its name cannot be guessed and occupied by other
// users.
std::string write_beside(const std::string& path, const std::string& text) {
  std::uint64_t number = 0;
  if (getrandom(&number, sizeof number, 0) != sizeof number)
    number =
        static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
  const std::string made = path + "." + std::to_string(number);
  const auto fail = [&](int error) {
    throw FileError(path + ": cannot be written: " + std::strerror(error) + remedy);
  };
  Descriptor file(open(made.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
  if (file < 0) fail(errno);
  struct stat old = {};
  if (lstat(path.c_str(), &old) == 0 && S_ISREG(old.st_mode)) fchmod(file, old.st_mode & 0777);
  int failure = 0;
  for (std::size_t written = 0; written < text.size() && failure == 0;) {
    const ssize_t now = write(file, text.data() + written, text.size() - written);
    if (now > 0)
      written += static_cast<std::size_t>(now);
    else if (now == 0 || errno != EINTR)
      failure = now == 0 ? ENOSPC : errno;
  }
  if (!file.close() && failure == 0) failure = errno;
  if (failure != 0) {
    unlink(made.c_str());
    fail(failure);
  }
  return made;
}

void put_in_place(const std::string& made, const std::string& path) {
  if (std::rename(made.c_str(), path.c_str()) == 0) return;
  const std::string why = std::strerror(errno);
  unlink(made.c_str());
  throw FileError(path + ": cannot be written: " + why + remedy);
}

std::string size_text(std::int64_t bytes) { return std::to_string(bytes >> 20) + " MiB"; }

}  // namespace

// Opening a device or a pipe may already have an effect, so check the path first, and again the
// opened file.
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
  // The size is correct for a file that no program is writing; in /proc it is 0.
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

void replace_file(const std::string& path, const std::string& text) {
  put_in_place(write_beside(path, text), path);
}

void update_file(const std::string& path, std::int64_t most_bytes,
                 const std::function<std::string(const std::string* text)>& change) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::seconds(5);
  const auto may_wait = [&] {
    if (Clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    return true;
  };
  // The lock belongs to the file itself, so that no other file remains. If a process replaces the
  // file meanwhile, the lock is on the old one: try again.
  do {
    // Over NFS, only files that are open for writing can be locked.
    const Descriptor file(open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (file < 0 && errno == ENOENT) {
      const std::string made = write_beside(path, change(nullptr));
      const bool is_first = link(made.c_str(), path.c_str()) == 0;
      const bool no_links = !is_first && errno != EEXIST;
      if (no_links) return put_in_place(made, path);
      unlink(made.c_str());
      if (is_first) return;
      continue;
    }
    if (file < 0) throw FileError(path + ": cannot be written: " + std::strerror(errno) + remedy);
    int result = -1;
    while ((result = flock(file, LOCK_EX | LOCK_NB)) != 0 && errno == EWOULDBLOCK && may_wait()) {
    }
    struct stat locked = {}, now = {};
    const bool is_same = fstat(file, &locked) == 0 && stat(path.c_str(), &now) == 0 &&
                         locked.st_dev == now.st_dev && locked.st_ino == now.st_ino;
    if (result == 0 && !is_same) continue;
    const std::string text = read_regular_file(path, most_bytes);
    return replace_file(path, change(&text));
  } while (may_wait());
  struct stat status = {};
  if (stat(path.c_str(), &status) != 0) return replace_file(path, change(nullptr));
  const std::string text = read_regular_file(path, most_bytes);
  replace_file(path, change(&text));
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
  // A full file system reports this when bytes are written, or when the file is closed.
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
