#include "tables/msccl_program.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "text/printable.h"
#include "text/xml.h"

namespace toccata::msccl {

namespace {

constexpr int most_gpus = 4096;
constexpr int most_chunks = 1 << 18;         // of a buffer
constexpr int most_thread_blocks = 1 << 16;  // of a gpu

class Parser {
 public:
  explicit Parser(std::string_view xml) : tags_(xml) {}

  Program read() {
    Program program;
    next();
    open("algo");
    if (tag_.closes) fail("algo has no gpus");
    program.name = printable(text("name"));
    program.collective = collective(text("coll"));
    const std::string_view* const in_place = tag_.find("inplace");
    program.in_place = in_place != nullptr && *in_place == "1";
    program.gpus.resize(number("ngpus", 1, most_gpus));
    std::vector<bool> seen(program.gpus.size());
    while (next(), !is_end("algo")) {
      open("gpu");
      const int id = number("id", 0, static_cast<int>(program.gpus.size()) - 1);
      if (seen[id]) fail("gpu " + std::to_string(id) + " occurs twice");
      seen[id] = true;
      read_gpu(program.gpus[id]);
    }
    if (const auto missing = std::ranges::find(seen, false); missing != seen.end())
      fail("gpu " + std::to_string(missing - seen.begin()) + " is missing");
    if (tags_.next(tag_)) fail("unexpected text after </algo>");
    return program;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw MscclError("line " + std::to_string(tags_.line()) + ": " + printable(what));
  }
  void next() {
    if (!tags_.next(tag_)) fail("the file ends early");
  }
  bool is_end(std::string_view name) const {
    return tag_.closes && !tag_.opens && tag_.name == name;
  }
  void open(std::string_view name) {
    if (!tag_.opens || tag_.name != name)
      fail("expected <" + std::string(name) + ">, found <" + (tag_.opens ? "" : "/") +
           std::string(tag_.name.substr(0, 32)) + ">");
  }
  std::string_view text(std::string_view attribute) const {
    const std::string_view* const found = tag_.find(attribute);
    if (found == nullptr)
      fail(std::string(tag_.name) + " has no attribute " + std::string(attribute));
    return *found;
  }
  int number(std::string_view attribute, int least, int most) const {
    const std::string_view digits = text(attribute);
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc{} || end != digits.data() + digits.size() || value < least ||
        value > most)
      fail(std::string(attribute) + " is \"" + std::string(digits.substr(0, 32)) + "\"; expected " +
           std::to_string(least) + " to " + std::to_string(most));
    return static_cast<int>(value);
  }
  const Collective* collective(std::string_view name) const {
    for (const auto& [word, meant] :
         {std::pair<std::string_view, const Collective*>{"allgather", &toccata::allgather},
          {"allreduce", &toccata::allreduce},
          {"alltoall", &toccata::alltoall},
          {"reduce_scatter", &toccata::reduce_scatter},
          {"reducescatter", &toccata::reduce_scatter}})
      if (name == word) return meant;
    fail("programs of \"" + std::string(name.substr(0, 32)) +
         "\" cannot be converted; expected allgather, allreduce, alltoall or reduce_scatter");
  }

  void read_gpu(Gpu& gpu) {
    gpu.input = number("i_chunks", 0, most_chunks);
    gpu.output = number("o_chunks", 0, most_chunks);
    gpu.scratch = number("s_chunks", 0, most_chunks);
    if (tag_.closes) return;
    while (next(), !is_end("gpu")) {
      open("tb");
      ThreadBlock& block = gpu.blocks.emplace_back();
      if (number("id", 0, most_thread_blocks) != static_cast<int>(gpu.blocks.size()) - 1)
        fail("thread blocks are not numbered 0, 1, 2, ...");
      block.send = number("send", -1, most_gpus);
      block.recv = number("recv", -1, most_gpus);
      block.channel = number("chan", -1, most_chunks);
      if (tag_.closes) continue;
      while (next(), !is_end("tb")) {
        open("step");
        block.steps.push_back(read_step(static_cast<int>(block.steps.size())));
        if (!tag_.closes && (next(), !is_end("step"))) fail("expected </step>");
      }
    }
  }

  ProgramStep read_step(int expected) {
    if (number("s", 0, most_chunks) != expected) fail("steps are not numbered 0, 1, 2, ...");
    const std::string_view type = text("type");
    const auto kind = std::ranges::find(kinds, type, &KindWord::word);
    if (kind == kinds.end())
      fail("a step of type \"" + std::string(type.substr(0, 32)) +
           "\" cannot be converted; expected one of s, r, rcs, rrc, rrs, rrcs, cpy, re, nop");
    ProgramStep step{&*kind,
                     {'i', 0},
                     {'i', 0},
                     0,
                     number("depid", -1, most_chunks),
                     number("deps", -1, most_chunks),
                     tags_.line()};
    if (kind->kind == Kind::nothing) return step;
    step.from = place("srcbuf", "srcoff");
    step.into = place("dstbuf", "dstoff");
    step.count = number("cnt", 0, most_chunks);
    return step;
  }
  Place place(std::string_view buffer, std::string_view offset) const {
    const std::string_view word = text(buffer);
    if (word != "i" && word != "o" && word != "s")
      fail(std::string(buffer) + " is \"" + std::string(word.substr(0, 32)) +
           "\"; expected i, o or s");
    return {word.front(), number(offset, -1, most_chunks)};
  }

  XmlTags tags_;
  XmlTags::Tag tag_;
};

}  // namespace

Program read_program(std::string_view xml) { return Parser(xml).read(); }

}  // namespace toccata::msccl
