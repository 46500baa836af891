// Reading and writing programs of MSCCL.
#include "tables/msccl.h"

#include <functional>
#include <gtest/gtest.h>

#include "proofs/lockstep.h"
#include "proofs/verify.h"
#include "support.h"
#include "tables/schedule_file.h"
#include "writing/registry.h"

namespace toccata {
namespace {

std::string step(int number, const std::string& type, const std::string& from, int from_chunk,
                 const std::string& into, int into_chunk, int count = 1, int block = -1,
                 int depends = -1) {
  return "<step s=\"" + std::to_string(number) + "\" type=\"" + type + "\" srcbuf=\"" + from +
         "\" srcoff=\"" + std::to_string(from_chunk) + "\" dstbuf=\"" + into + "\" dstoff=\"" +
         std::to_string(into_chunk) + "\" cnt=\"" + std::to_string(count) + "\" depid=\"" +
         std::to_string(block) + "\" deps=\"" + std::to_string(depends) + "\" hasdep=\"0\"/>\n";
}

std::string block(int id, int send, int recv, int channel, const std::string& steps) {
  return "<tb id=\"" + std::to_string(id) + "\" send=\"" + std::to_string(send) + "\" recv=\"" +
         std::to_string(recv) + "\" chan=\"" + std::to_string(channel) + "\">\n" + steps +
         "</tb>\n";
}

std::string program(const std::string& collective, int gpus, bool in_place, int input, int output,
                    int scratch, const std::function<std::string(int)>& blocks) {
  std::string xml =
      "<!-- as msccl-tools write it -->\n<algo name=\"test\" proto=\"Simple\" "
      "nchannels=\"2\" nchunksperloop=\"8\" ngpus=\"" +
      std::to_string(gpus) + "\" coll=\"" + collective + "\" inplace=\"" + (in_place ? "1" : "0") +
      "\" outofplace=\"" + (in_place ? "0" : "1") + "\" minBytes=\"0\" maxBytes=\"0\">\n";
  for (int gpu = 0; gpu < gpus; ++gpu)
    xml += "<gpu id=\"" + std::to_string(gpu) + "\" i_chunks=\"" + std::to_string(input) +
           "\" o_chunks=\"" + std::to_string(output) + "\" s_chunks=\"" + std::to_string(scratch) +
           "\">\n" + blocks(gpu) + "</gpu>\n";
  return xml + "</algo>\n";
}

// Each gpu sends every chunk directly to every gpu, by two channels, and sends before it receives.
std::string allgather_all_pairs(int p) {
  return program("allgather", p, true, 0, 2 * p, 0, [&](int gpu) {
    std::string blocks;
    int id = 0;
    for (int other = 0; other < p; ++other)
      for (int channel = 0; other != gpu && channel < 2; ++channel, ++id) {
        const int mine = 2 * gpu + channel, theirs = 2 * other + channel;
        blocks +=
            block(id, other, other, channel,
                  step(0, "s", "o", mine, "o", mine) + step(1, "r", "o", theirs, "o", theirs));
      }
    return blocks;
  });
}

// A ring that reduces chunks and then forwards them: rrs, rrcs and rcs.
std::string allreduce_ring(int p) {
  return program("allreduce", p, true, p, 0, 0, [&](int gpu) {
    std::string steps = step(0, "s", "i", gpu, "i", gpu);
    int number = 1;
    for (int i = 1; i < p; ++i) {
      const int chunk = (gpu - i + p) % p;
      steps += step(number++, i == p - 1 ? "rrcs" : "rrs", "i", chunk, "i", chunk);
    }
    for (int i = 0; i < p - 1; ++i) {
      const int chunk = (gpu - i + p) % p;
      steps += step(number++, i == p - 2 ? "r" : "rcs", "i", chunk, "i", chunk);
    }
    return block(0, (gpu + 1) % p, (gpu - 1 + p) % p, 0, steps);
  });
}

std::string alltoall_direct(int p, int parts) {
  return program("alltoall", p, false, p * parts, p * parts, 0, [&](int gpu) {
    std::string blocks =
        block(0, -1, -1, 0, step(0, "cpy", "i", gpu * parts, "o", gpu * parts, parts));
    int id = 1;
    for (int other = 0; other < p; ++other)
      if (other != gpu)
        blocks += block(id++, other, other, 0,
                        step(0, "s", "i", other * parts, "o", gpu * parts, parts) +
                            step(1, "r", "i", other * parts, "o", other * parts, parts));
    return blocks;
  });
}

std::string reduce_scatter_direct(int p) {
  return program("reduce_scatter", p, false, p, 1, p, [&](int gpu) {
    std::string blocks, sums = step(0, "cpy", "i", gpu, "o", 0);
    int id = 1, number = 1;
    for (int other = 0; other < p; ++other) {
      if (other == gpu) continue;
      sums += step(number++, "re", "s", other, "o", 0, 1, id, 1);
      blocks += block(id++, other, other, 0,
                      step(0, "s", "i", other, "s", gpu) + step(1, "r", "i", gpu, "s", other));
    }
    return block(0, -1, -1, 0, sums) + blocks;
  });
}

std::string proof(const std::string& xml, int p) {
  const Algorithm& read = msccl::add(xml, "test.xml");
  const Shape shape = read.complete({.p = p});
  if (const std::string why = read.why_impossible(shape); !why.empty()) return why;
  return verify(read, shape);
}

TEST(Msccl, ProgramsAreProved) {
  for (const int p : {2, 3, 8}) {
    EXPECT_EQ(proof(allgather_all_pairs(p), p), "") << p;
    EXPECT_EQ(proof(allreduce_ring(p), p), "") << p;
    EXPECT_EQ(proof(alltoall_direct(p, 1), p), "") << p;
    EXPECT_EQ(proof(alltoall_direct(p, 3), p), "") << p;
    EXPECT_EQ(proof(reduce_scatter_direct(p), p), "") << p;
  }
  EXPECT_EQ(
      msccl::add(allgather_all_pairs(8), "test.xml").schedule({.p = 8, .parts = 2}, 0).rounds(), 2)
      << "a copy, and one round in which all ranks send and receive";
  EXPECT_EQ(proof(allgather_all_pairs(8), 7), "is a program for 8 ranks");
}

// Written schedules are the same after reading, also from files.
TEST(Msccl, SchedulesAreWrittenAndReadAgain) {
  int written = 0;
  for (const Algorithm* each : all_algorithms()) {
    if (&each->collective != &allgather && &each->collective != &allreduce &&
        &each->collective != &alltoall && &each->collective != &reduce_scatter)
      continue;
    for (const int p : {2, 4, 5}) {
      const Shape shape = each->complete({.p = p});
      if (!each->why_impossible(shape).empty()) continue;
      const std::string xml = msccl::text(*each, shape, test::schedules(*each, shape));
      EXPECT_EQ(proof(xml, p), "") << each->path() << " " << p;
      const Algorithm& read = msccl::add(xml, "test.xml");
      const std::vector<Shape> shapes{read.complete({.p = p})};
      const Algorithm& again =
          schedule_file::add(schedule_file::text(read, shapes, Travel::whole), "file:msccl.json");
      EXPECT_EQ(again.why_impossible({.p = p}), "") << each->path() << " " << p;
      ++written;
    }
  }
  EXPECT_GT(written, 100);
}

TEST(Msccl, WhatCannotBeIsNamed) {
  const auto refused = [](const std::string& xml, const std::string& why) {
    try {
      msccl::add(xml, "test.xml");
      ADD_FAILURE() << "was accepted: " << why;
    } catch (const MscclError& error) {
      const std::string said = error.what();
      EXPECT_NE(said.find(why), std::string::npos) << said;
      EXPECT_EQ(said.find('\n'), std::string::npos);
      EXPECT_LT(said.size(), 300u);
    }
  };
  const auto replaced = [](std::string xml, const std::string& what, const std::string& by) {
    const auto at = xml.find(what);
    EXPECT_NE(at, std::string::npos) << what;
    return at == std::string::npos ? xml : xml.replace(at, what.size(), by);
  };
  const std::string good = allgather_all_pairs(3);
  refused("", "ends early");
  refused("text", "expected a tag");
  refused("<!DOCTYPE x>", "declarations are not allowed");
  refused("<!--", "a comment is not closed");
  refused(std::string(1'000'000, '<'), "expected the name of a tag");
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "<algo>";
  refused(deep, "has no attribute name");
  refused(good.substr(0, good.size() / 2), "");
  refused(replaced(good, "coll=\"allgather\"", "coll=\"custom\""),
          "\"custom\" cannot be converted");
  refused(replaced(good, "ngpus=\"3\"", "ngpus=\"9223372036854775808\""), "expected 1 to");
  refused(replaced(good, "ngpus=\"3\"", "ngpus=\"4\""), "gpu 3 is missing");
  refused(replaced(good, "id=\"1\" i_chunks", "id=\"0\" i_chunks"), "gpu 0 occurs twice");
  refused(replaced(good, "type=\"s\"", "type=\"xyz\""), "type \"xyz\"");
  refused(replaced(good, "type=\"s\"", "type=\"\n\""), "type \"?\"");
  refused("<" + std::string(100'000, 'a') + ">", "found <aaaaaaaa");
  refused(replaced(good, "srcoff=\"0\"", "srcoff=\"99\""), "has no chunk 99");
  refused(replaced(good, "srcoff=\"0\"", "srcoff=\"9223372036854775808\""), "srcoff is");
  refused(replaced(good, "cnt=\"1\"", "cnt=\"2\""), "are received");
  refused(replaced(good, "send=\"1\"", "send=\"2\""), "gpu");
  refused(replaced(good, "send=\"1\"", "send=\"7\""), "has no peer 7");
  refused(replaced(good, "depid=\"-1\" deps=\"-1\"", "depid=\"77\" deps=\"0\""),
          "which does not exist");
  refused(replaced(good, "o_chunks=\"6\"", "o_chunks=\"5\""), "");
  // Two gpus that both receive before they send.
  refused(program("allgather", 2, true, 0, 2, 0,
                  [](int gpu) {
                    const int other = 1 - gpu;
                    return block(0, other, other, 0,
                                 step(0, "r", "o", other, "o", other) +
                                     step(1, "nop", "i", -1, "o", -1, 0) +
                                     step(2, "s", "o", gpu, "o", gpu));
                  }),
          "deadlocks");
  const Algorithm& bcast = *find_algorithm(toccata::bcast, "binomial");
  EXPECT_THROW(msccl::text(bcast, {.p = 2}, test::schedules(bcast, {.p = 2})), MscclError);
}

TEST(Msccl, RefusalsTakeSeconds) {
  // Very many steps that wait for each other, and a million nested tags.
  std::string steps, deep;
  for (int i = 0; i < 200'000; ++i) steps += step(i, "r", "o", 0, "o", 0);
  for (int i = 0; i < 1'000'000; ++i) deep += "<gpu>";
  const std::string long_one = program(
      "allgather", 2, true, 0, 2, 0, [&](int gpu) { return block(0, 1 - gpu, 1 - gpu, 0, steps); });
  for (const std::string& xml : {long_one, deep}) {
    EXPECT_LT(
        test::processor_seconds([&] { EXPECT_THROW(msccl::add(xml, "test.xml"), MscclError); }), 10)
        << xml.substr(0, 100);
  }
}

// A changed program is refused, or gives a schedule that the proof can check.
TEST(Msccl, ChangedProgramsDoNoHarm) {
  test::Random random(3);
  int taken = 0;
  for (const std::string& xml :
       {allgather_all_pairs(3), allreduce_ring(3), alltoall_direct(3, 2), reduce_scatter_direct(3)})
    for (int i = 0; i < 1500; ++i) {
      std::string changed = xml;
      for (int times = random.number(1, 3); times > 0; --times) {
        const auto at =
            static_cast<std::size_t>(random.number(0, static_cast<int>(changed.size()) - 1));
        constexpr std::string_view likely = "0123456789iosrc-<>/\" ";
        if (random.number(0, 4) == 0)
          changed.erase(at, static_cast<std::size_t>(random.number(1, 40)));
        else
          changed[at] = likely[static_cast<std::size_t>(
              random.number(0, static_cast<int>(likely.size()) - 1))];
      }
      try {
        proof(changed, 3);
        ++taken;
      } catch (const MscclError&) {
      }
    }
  EXPECT_GT(taken, 50);
}

}  // namespace
}  // namespace toccata
