// toccata_prove: proves the algorithms of the registry like `toccata verify`, but without Python.
// The build runs it (src/CMakeLists.txt), because the library chooses only proved algorithms by
// itself.
//
//   toccata_prove table KNOWN OUTPUT SOURCE...   writes OUTPUT, the source of proved_paths()
//   toccata_prove check KNOWN SOURCE...          exit code 1 if an algorithm is not proved
//   toccata_prove digests SOURCE...              prints them
//   toccata_prove assume OUTPUT                  as `table`, without a proof: for sanitizers
//
// SOURCE... are folders like src/. A proof is stored as a digest of the algorithm's file, of all
// files that it and the proof include, with their sources, and of the algorithms that these files
// name. KNOWN is the file of these digests, so that each algorithm is proved once. A second file
// may follow a colon, as in KNOWN:packaging/proved.txt; it is only read. Each proof runs in a
// separate process, so an algorithm that crashes or never ends is only reported as not proved.
//
// Prints a line for each algorithm that is not proved. If it proved any, prints a line with counts
// and the time.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <ranges>
#include <set>
#include <string>
#include <string_view>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "proofs/samples.h"
#include "proofs/verify.h"
#include "writing/registry.h"

namespace {

using namespace toccata;
namespace fs = std::filesystem;

constexpr rlim_t most_seconds = 900;  // of CPU time; the longest proof takes about five
constexpr rlim_t most_memory = 8ULL << 30;

// The lines of a file without comments and empty lines, so that comments can be changed without a
// new proof.
std::string code_of(const fs::path& path) {
  std::ifstream file(path);
  std::string code;
  for (std::string line; std::getline(file, line);) {
    const std::size_t begin = line.find_first_not_of(" \t");
    if (begin == std::string::npos || line.compare(begin, 2, "//") == 0) continue;
    code += line + "\n";
  }
  return code;
}

// The files on which schedules and proofs depend.
class Sources {
 public:
  explicit Sources(std::vector<fs::path> folders) : folders_(std::move(folders)) {
    for (const fs::path& folder : folders_)
      if (fs::is_directory(folder / "collectives"))
        for (const auto& each : fs::directory_iterator(folder / "collectives"))
          common_.insert("collectives/" + each.path().filename().string());
    common_.insert({"proofs/samples.cpp", "proofs/verify.cpp"});
    for (const Algorithm* each : all_algorithms())
      named_[std::string(each->name)].insert(file(*each));
  }

  std::string digest(const Algorithm& algorithm) {
    std::set<std::string> found = common_;
    found.insert(file(algorithm));
    std::vector<std::string> left(found.begin(), found.end());
    while (!left.empty()) {
      const std::string name = left.back();
      left.pop_back();
      for (const std::string& each : needs(name))
        if (found.insert(each).second) left.push_back(each);
    }
    std::uint64_t digest = 14695981039346656037ULL;
    const auto add = [&](std::string_view text) {
      for (const char each : text)
        digest = (digest ^ static_cast<unsigned char>(each)) * 1099511628211ULL;
    };
    add("1 " __VERSION__);
    for (const std::string& each : found) {
      add(each + "\n");
      add(files_.at(each).code);
    }
    char text[17];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(digest));
    return text;
  }

 private:
  struct File {
    std::string code;
    std::set<std::string> needs;
  };

  static std::string file(const Algorithm& algorithm) {
    return "algorithms/" + algorithm.path() + ".cpp";
  }

  fs::path path(const std::string& name) const {
    for (const fs::path& folder : folders_)
      if (fs::exists(folder / name)) return folder / name;
    return {};
  }

  // The files that a file needs: headers with their sources, and algorithms that it names in
  // quotes. The name of its own algorithm does not count, because algorithms of other collectives
  // may share it.
  const std::set<std::string>& needs(const std::string& name) {
    const auto [known, is_new] = files_.try_emplace(name);
    File& file = known->second;
    if (!is_new) return file.needs;
    file.code = code_of(path(name));
    const std::string& code = file.code;
    for (std::size_t at = code.find('"'); at != std::string::npos; at = code.find('"', at + 1)) {
      const std::size_t end =
          code.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_./", at + 1);
      if (end == std::string::npos || code[end] != '"') continue;
      const std::string text = code.substr(at + 1, end - at - 1);
      const std::string_view before(code.data(), at);
      if (before.ends_with("#include ")) {
        const std::string source = fs::path(text).replace_extension(".cpp");
        for (const std::string& each : {text, source})
          if (!path(each).empty()) file.needs.insert(each);
      } else if (const auto named = named_.find(text);
                 named != named_.end() && !before.ends_with(".name = ")) {
        file.needs.insert(named->second.begin(), named->second.end());
      }
    }
    return file.needs;
  }

  std::vector<fs::path> folders_;
  std::set<std::string> common_;
  std::map<std::string, std::set<std::string>> named_;  // files of algorithms, by name
  std::map<std::string, File> files_;
};

// The first error of an algorithm, with the lowest number of ranks; "" if there is none.
std::string prove(const Algorithm& algorithm) {
  for (const int p : ranks_to_prove()) try {
      for (const Shape& shape : sample_shapes(algorithm, p)) {
        if (proof_effort(algorithm, shape) > most_proof_effort) continue;
        if (std::string error = verify(algorithm, shape); !error.empty())
          return std::string(algorithm.name) + shape.parameters.text() + " with " +
                 std::to_string(p) + " ranks: " + error;
      }
    } catch (const std::exception& error) {
      return "with " + std::to_string(p) + " ranks: " + error.what();
    }
  return "";
}

// Proves algorithms, each in its own process, with one process per core at a time.
class Proofs {
 public:
  explicit Proofs(std::vector<const Algorithm*> left) : left_(std::move(left)) {}

  // The errors, by path; calls `proved` with the correct algorithms.
  template <typename Proved>
  std::map<std::string, std::string> run(Proved&& proved) {
    const std::size_t most = std::max(1U, std::thread::hardware_concurrency());
    std::map<std::string, std::string> wrong;
    std::ranges::reverse(left_);
    while (!left_.empty() || !running_.empty()) {
      while (!left_.empty() && running_.size() < most) {
        begin(*left_.back());
        left_.pop_back();
      }
      int status = 0;
      const pid_t pid = wait(&status);
      const auto ended = running_.find(pid);
      if (ended == running_.end()) continue;
      const auto [algorithm, pipe] = ended->second;
      running_.erase(ended);
      std::string error = all_of(pipe);
      if (WIFSIGNALED(status))
        error = std::string("its proof ended by signal ") + strsignal(WTERMSIG(status));
      else if (error.empty() && WEXITSTATUS(status) != 0)
        error = "its proof ended early";
      if (error.empty())
        proved(*algorithm);
      else
        wrong[algorithm->path()] = error;
    }
    return wrong;
  }

 private:
  struct Child {
    const Algorithm* algorithm;
    int pipe;
  };

  void begin(const Algorithm& algorithm) {
    int ends[2];
    if (pipe(ends) != 0) throw std::runtime_error("no pipe");
    const pid_t pid = fork();
    if (pid < 0) throw std::runtime_error("no process");
    if (pid == 0) {
      const rlimit time{most_seconds, most_seconds}, memory{most_memory, most_memory}, core{0, 0};
      setrlimit(RLIMIT_CPU, &time);
      setrlimit(RLIMIT_AS, &memory);
      setrlimit(RLIMIT_CORE, &core);
      const std::string error = prove(algorithm).substr(0, 4096);  // fits into a pipe
      const bool is_told = write(ends[1], error.data(), error.size()) >= 0;
      _exit(error.empty() && is_told ? 0 : 1);
    }
    close(ends[1]);
    running_[pid] = {&algorithm, ends[0]};
  }

  static std::string all_of(int pipe) {
    std::string text;
    char piece[4096];
    for (ssize_t got = 0; (got = read(pipe, piece, sizeof piece)) > 0;) text.append(piece, got);
    close(pipe);
    return text;
  }

  std::vector<const Algorithm*> left_;
  std::map<pid_t, Child> running_;
};

// Writes a file, unless it already has this text: then nothing is built again.
void write_if_changed(const fs::path& path, const std::string& text) {
  {
    std::ifstream old(path);
    if (old && std::string(std::istreambuf_iterator<char>(old), {}) == text) return;
  }
  std::ofstream file(path);
  file << text;
  file.close();
  if (!file) throw std::runtime_error(path.string() + ": cannot be written");
}

void write_table(const fs::path& path, const std::set<std::string>& proved) {
  std::string text =
      "// Made by toccata_prove (packaging/prove.cpp).\n#include <array>\n\n#include "
      "\"choices/proved.h\"\n\nnamespace toccata {\n\nstd::span<const std::string_view> "
      "proved_paths() {\n  static constexpr std::array<std::string_view, " +
      std::to_string(proved.size()) + "> paths{\n";
  for (const std::string& each : proved) text += "      \"" + each + "\",\n";
  write_if_changed(path, text + "  };\n  return paths;\n}\n\n}  // namespace toccata\n");
}

// The paths of the algorithms that are proved now.
std::set<std::string> proved_by(const std::string& files, std::vector<fs::path> folders) {
  const std::size_t colon = files.find(':');
  const fs::path known_file = files.substr(0, colon);
  std::set<std::string> known;
  const auto read = [&](const fs::path& path) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) known.insert(line);
  };
  read(known_file);
  if (colon != std::string::npos) read(files.substr(colon + 1));
  Sources sources(std::move(folders));
  std::set<std::string> proved;
  std::map<const Algorithm*, std::string> lines;
  std::vector<const Algorithm*> left;
  for (const Algorithm* each : all_algorithms()) {
    lines[each] = sources.digest(*each) + " " + each->path();
    if (known.contains(lines[each]))
      proved.insert(each->path());
    else
      left.push_back(each);
  }
  if (left.empty()) return proved;
  const auto began = std::chrono::steady_clock::now();
  const std::size_t number = left.size();
  std::error_code error;
  fs::create_directories(known_file.parent_path(), error);
  const auto wrong = Proofs(std::move(left)).run([&](const Algorithm& right) {
    proved.insert(right.path());
    // Several builds may write at once; short lines are appended whole.
    std::ofstream(known_file, std::ios::app) << lines.at(&right) + "\n";
  });
  for (const auto& [path, what] : wrong)
    std::fprintf(stderr, "toccata: %s is not proved, and runs by name only: %s\n", path.c_str(),
                 what.c_str());
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  std::printf("toccata: proved %zu of %zu algorithms in %.0f s\n", number - wrong.size(), number,
              took.count());
  return proved;
}

int run(const std::vector<std::string>& words) {
  if (words.size() == 2 && words[0] == "assume") {
    std::set<std::string> all;
    for (const Algorithm* each : all_algorithms()) all.insert(each->path());
    write_table(words[1], all);
    return EXIT_SUCCESS;
  }
  if (words.size() >= 4 && words[0] == "table") {
    write_table(words[2], proved_by(words[1], {words.begin() + 3, words.end()}));
    return EXIT_SUCCESS;
  }
  if (words.size() >= 3 && words[0] == "check") {
    const auto proved = proved_by(words[1], {words.begin() + 2, words.end()});
    std::printf("%zu of %zu algorithms are proved\n", proved.size(), all_algorithms().size());
    return proved.size() == all_algorithms().size() ? EXIT_SUCCESS : EXIT_FAILURE;
  }
  if (words.size() >= 2 && words[0] == "digests") {
    Sources sources({words.begin() + 1, words.end()});
    std::printf("# Proved as compiled by GCC " __VERSION__ " (make proofs)\n");
    for (const Algorithm* each : all_algorithms())
      std::printf("%s %s\n", sources.digest(*each).c_str(), each->path().c_str());
    return EXIT_SUCCESS;
  }
  std::fprintf(stderr,
               "usage: toccata_prove table KNOWN OUTPUT SOURCE... | check KNOWN SOURCE... | "
               "digests SOURCE... | assume OUTPUT\n");
  return 2;
}

}  // namespace

int main(int argc, char** argv) try {
  return run({argv + 1, argv + argc});
} catch (const std::exception& error) {
  std::fprintf(stderr, "toccata_prove: %s\n", error.what());
  return EXIT_FAILURE;
}
