// A file of schedules or a program of MSCCL is either rejected, or it runs. It must not affect the
// process in any other way. An accepted schedule runs on real bytes. The margins of the buffers and
// the sanitizers detect writes outside of the buffers. The results may be wrong.
//
// One target serves both loaders: an input that begins with '<' is a program. The digest of a file
// is corrected first, because the loader would otherwise reject every changed file.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "proofs/lockstep.h"
#include "tables/check.h"
#include "tables/digest.h"
#include "tables/msccl.h"
#include "tables/schedule_file.h"
#include "writing/outside.h"

namespace toccata {
namespace {

constexpr int most_ranks = 16;
constexpr std::int64_t most_blocks = 4096;  // of all ranks together, if bytes are moved

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "fuzz: %s\n", what.c_str());
  std::abort();
}

void expect_one_line(std::string_view said) {
  if (said.empty() || said.size() > 1000 || said.find('\n') != std::string_view::npos)
    fail("an error is not one line: " + std::string(said));
}

std::int64_t blocks(const Algorithm& algorithm, const Shape& shape) {
  std::int64_t sum = 0;
  for (int rank = 0; rank < shape.p; ++rank)
    for (const Buffer each : {Buffer::send, Buffer::recv})
      sum += algorithm.collective.blocks(shape, rank, each);
  return sum;
}

void run(const Algorithm& algorithm, int p, int root) {
  const Shape shape = algorithm.complete({.p = p, .root = root});
  if (const std::string why = algorithm.why_impossible(shape); !why.empty())
    return expect_one_line(why);
  if (blocks(algorithm, shape) > most_blocks) return;
  std::vector<Schedule> schedules;
  for (int rank = 0; rank < p; ++rank) schedules.push_back(algorithm.schedule(shape, rank));
  if (const std::string why = unsafe(algorithm, shape, schedules); !why.empty())
    fail("is let through, but " + why);
  ByteCall call;
  // The number of elements of a datum is its index, unless all data must have equal sizes.
  const int data = algorithm.collective.data(shape);
  for (int datum = 0; datum < data; ++datum)
    call.counts.push_back(algorithm.blocks_alike ? 3 : 1 + datum % 3);
  for (const bool in_place : {false, true}) {
    call.in_place = in_place;
    const std::string wrong = lockstep(algorithm.collective, shape, schedules, call);
    if (wrong.find("outside") != std::string::npos) fail("writes elsewhere: " + wrong);
  }
}

void read(const std::string& text) {
  if (text.starts_with('<')) {
    const Algorithm& algorithm = msccl::add(text, "fuzz.xml");
    for (int p = 1; p <= most_ranks; ++p)
      if (algorithm.outside->why_impossible({.p = p}).empty()) run(algorithm, p, 0);
    return;
  }
  const Algorithm& algorithm = schedule_file::add(test::with_right_digest(text), "file:fuzz");
  for (const auto& [ranks, root, parts] : schedule_file::tables(algorithm))
    if (ranks <= most_ranks) run(algorithm, ranks, root);
}

}  // namespace
}  // namespace toccata

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string text(bytes, bytes + size);
  try {
    toccata::read(text);
  } catch (const toccata::schedule_file::Error& error) {
    toccata::expect_one_line(error.what());
  } catch (const toccata::MscclError& error) {
    toccata::expect_one_line(error.what());
  }
  return 0;
}
