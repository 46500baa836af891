// Without libFuzzer: mutates the files of a folder for some seconds.
//   fuzz_loaders FOLDER SECONDS [SEED]
// Prints the failing input, and stores it in the file fuzz-failed.

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size);

namespace {

std::string input;  // the current one

void run(const std::string& text) {
  input = text;
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
}

void keep_input() {
  std::ofstream("fuzz-failed", std::ios::binary) << input;
  std::fprintf(stderr, "fuzz: the input that failed lies in fuzz-failed\n");
}

class Mutations {
 public:
  Mutations(std::vector<std::string> texts, unsigned seed)
      : texts_(std::move(texts)), engine_(seed) {}

  std::string next() {
    std::string text = any(texts_);
    for (int times = 1 + below(4); times > 0; --times) change(text);
    return text;
  }

 private:
  int below(std::size_t number) {
    return static_cast<int>(std::uniform_int_distribution<std::size_t>(0, number - 1)(engine_));
  }
  const std::string& any(const std::vector<std::string>& of) { return of[below(of.size())]; }

  void change(std::string& text) {
    static const std::vector<std::string> numbers{
        "0", "1", "2", "3", "-1", "65536", "268435456", "2147483647", "9223372036854775808"};
    const std::size_t at = text.empty() ? 0 : below(text.size());
    switch (below(6)) {
      case 0:  // removes a piece
        text.erase(at, 1 + below(40));
        break;
      case 1:  // repeats a piece at another position
        text.insert(at, text.substr(text.empty() ? 0 : below(text.size()), 1 + below(80)));
        break;
      case 2: {  // inserts a piece of another text
        const std::string& other = any(texts_);
        text.insert(at, other.substr(below(other.size()), 1 + below(80)));
        break;
      }
      case 3: {  // changes a number
        const std::size_t first = text.find_first_of("0123456789", at);
        if (first == std::string::npos) break;
        const std::size_t end = text.find_first_not_of("0123456789", first);
        text.replace(first, std::min(end, text.size()) - first, any(numbers));
        break;
      }
      default: {
        constexpr std::string_view likely = "0123456789,[]\"-{}<>/= \n";
        if (!text.empty()) text[at] = likely[below(likely.size())];
      }
    }
  }

  std::vector<std::string> texts_;
  std::mt19937 engine_;
};

}  // namespace

int main(int count, char** arguments) {
  if (count < 3) {
    std::fprintf(stderr, "usage: fuzz_loaders FOLDER SECONDS [SEED]\n");
    return 2;
  }
  std::vector<std::filesystem::path> paths;
  for (const auto& each : std::filesystem::directory_iterator(arguments[1]))
    paths.push_back(each.path());
  std::ranges::sort(paths);
  std::vector<std::string> texts;
  for (const auto& each : paths) {
    std::ifstream file(each, std::ios::binary);
    texts.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  const double seconds = std::atof(arguments[2]);
  const unsigned seed = count > 3 ? static_cast<unsigned>(std::atoi(arguments[3])) : 1;
#if !defined(__SANITIZE_ADDRESS__)
  const rlimit limit{std::uint64_t{4} << 30, std::uint64_t{4} << 30};
  setrlimit(RLIMIT_AS, &limit);
#endif
  std::signal(SIGABRT, [](int) { keep_input(); });
  std::signal(SIGALRM, [](int) {
    std::fprintf(stderr, "fuzz: an input takes longer than 10 s\n");
    keep_input();
    std::_Exit(1);
  });
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  for (const std::string& each : texts) run(each);
  Mutations mutations(texts, seed);
  long inputs = 0;
  for (; Clock::now() < end; ++inputs) {
    alarm(10);
    run(mutations.next());
  }
  std::printf("%ld inputs\n", inputs);
  return inputs > 0 && !texts.empty() ? 0 : 1;
}
