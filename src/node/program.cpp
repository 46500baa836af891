#include "node/program.h"

#include <algorithm>
#include <cstring>

namespace toccata::node {

class Program::Compiler {
 public:
  explicit Compiler(const Schedule& schedule) : schedule_(schedule) {}

  std::optional<Program> compile() {
    if (schedule_.channels() > Board::most_channels) return {};
    program_.channels_ = schedule_.channels();
    program_.uses_scratch_ = !schedule_.scratch().empty();
    count_uses();
    for (int round = 0; round < schedule_.rounds(); ++round)
      if (!add_round(round)) return {};
    begin_round();
    return std::move(program_);
  }

 private:
  static bool flatten(std::span<const BlockRange> ranges, Blocks& blocks) {
    blocks = {};
    if (ranges.empty()) return true;
    if (ranges.size() != 1 || !ranges[0].consecutive()) return false;
    blocks = {ranges[0].first, static_cast<std::int32_t>(ranges[0].blocks()), ranges[0].buffer};
    return true;
  }

  // The number of uses of each scratch block. If a block is received and then used only once, by a
  // step of the same round, it need not be received.
  void count_uses() {
    const auto count = [&](std::span<const BlockRange> ranges) {
      for (const BlockRange& range : ranges)
        if (range.buffer == Buffer::scratch)
          for_each_block(range, [&](int block) {
            if (block >= static_cast<int>(uses_.size())) uses_.resize(block + 1);
            ++uses_[block];
          });
    };
    for (int round = 0; round < schedule_.rounds(); ++round) {
      for (const Message& each : schedule_.sends(round)) count(schedule_.ranges(each));
      for (const Message& each : schedule_.recvs(round)) count(schedule_.ranges(each));
      for (const toccata::Step& each : schedule_.steps(round)) {
        count(schedule_.from(each));
        count(schedule_.into(each));
      }
    }
  }
  bool is_used_twice(const Blocks& blocks) const {
    return std::all_of(uses_.begin() + blocks.first, uses_.begin() + blocks.first + blocks.count,
                       [](int uses) { return uses == 2; });
  }

  Round& begin_round() {
    return program_.rounds_.emplace_back(
        Round{static_cast<std::uint32_t>(program_.published_.size()),
              static_cast<std::uint32_t>(program_.reads_.size()),
              static_cast<std::uint32_t>(program_.steps_.size())});
  }

  bool add_round(int round) {
    Round& added = begin_round();
    for (int channel = 0; channel < schedule_.channels(); ++channel)
      if (!add_publication(round, channel)) return false;
    for (const Message& each : schedule_.recvs(round)) {
      Read read{.publisher = each.peer, .channel = each.channel, .into = {}};
      if (each.travel != Travel::published || !flatten(schedule_.ranges(each), read.into))
        return false;
      program_.reads_.push_back(read);
    }
    return add_steps(round, added);
  }

  bool add_publication(int round, int channel) {
    std::vector<Blocks> messages;
    Published added{.channel = channel,
                    .first_message = static_cast<std::uint32_t>(program_.messages_.size()),
                    .first_reader = static_cast<std::uint32_t>(program_.readers_.size())};
    for (const Message& each : schedule_.sends(round)) {
      if (each.channel != channel) continue;
      if (each.travel != Travel::published ||
          !flatten(schedule_.ranges(each), messages.emplace_back()))
        return false;
      program_.readers_.push_back(each.peer);
      ++added.readers;
    }
    if (messages.empty()) return true;
    if (std::ranges::count(messages, messages.front()) == static_cast<int>(messages.size()))
      messages.resize(1);
    added.messages = static_cast<std::uint32_t>(messages.size());
    program_.messages_.insert(program_.messages_.end(), messages.begin(), messages.end());
    program_.published_.push_back(added);
    return true;
  }

  // Steps read in place only if all messages and steps of the round have one block. Then no step
  // overwrites data that a later piece of a message still publishes.
  bool add_steps(int round, Round& added) {
    const std::span reads(program_.reads_.begin() + added.reads, program_.reads_.end());
    const auto steps = schedule_.steps(round);
    const std::int64_t length = 1;  // block
    const auto has_length = [&](const auto& message) {
      return blocks(schedule_.ranges(message)) == length;
    };
    bool in_place = std::ranges::all_of(schedule_.sends(round), has_length) &&
                    std::ranges::all_of(schedule_.recvs(round), has_length);
    std::vector<Step> written;
    bool reads_some = false;
    for (const toccata::Step& each : steps) {
      Step step{.reduces = each.reduces};
      if (!flatten(schedule_.from(each), step.from.blocks) ||
          !flatten(schedule_.into(each), step.into))
        return false;
      step.other.blocks = step.into;
      const auto read = std::ranges::find(reads, step.from.blocks, &Read::into);
      if (step.from.blocks.buffer == Buffer::scratch && read != reads.end() &&
          is_used_twice(step.from.blocks)) {
        step.from.reading = static_cast<int>(read - reads.begin());
        reads_some = true;
      }
      in_place = in_place && step.from.blocks.count == length;
      written.push_back(step);
    }
    added.in_place = in_place && reads_some;
    if (added.in_place) merge(written, round);
    for (Step& step : written)
      for (Source* each : {&step.from, &step.other}) {
        if (!added.in_place)
          each->reading = -1;
        else if (each->reading >= 0)
          reads[each->reading].in_place = true;
      }
    program_.steps_.insert(program_.steps_.end(), written.begin(), written.end());
    return true;
  }

  // Joins a copy and the reduction that uses its result to one step. Also joins the last reduction
  // and the copy of its result. No other step may use the scratch between them. All steps have one
  // block.
  //
  //   t = b    t = a ∘ t    r = t        r = a ∘ b
  void merge(std::vector<Step>& steps, int round) {
    const auto names = [](const Step& step, const Blocks& blocks) {
      return step.from.blocks == blocks || step.into == blocks ||
             (step.reduces && step.other.blocks == blocks);
    };
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const Step copy = steps[i];
      if (copy.reduces || copy.into.buffer != Buffer::scratch) continue;
      std::size_t next = i + 1;
      while (next < steps.size() && !names(steps[next], copy.into) &&
             steps[next].into != copy.from.blocks)
        ++next;
      if (next == steps.size() || !steps[next].reduces || steps[next].into != copy.into ||
          steps[next].from.blocks == copy.into || steps[next].other.blocks != copy.into)
        continue;
      steps[next].other = copy.from;
      steps.erase(steps.begin() + static_cast<std::ptrdiff_t>(i));
      --i;
    }
    if (steps.size() < 2) return;
    const Step& copy = steps.back();
    Step& last = steps[steps.size() - 2];
    if (copy.reduces || !last.reduces || copy.from.reading >= 0 || copy.from.blocks != last.into ||
        last.into.buffer != Buffer::scratch || is_published(copy.into, round) ||
        is_named_elsewhere(last.into, round))
      return;
    last.into = copy.into;
    steps.pop_back();
  }
  bool is_published(const Blocks& blocks, int round) const {
    return std::ranges::any_of(schedule_.sends(round), [&](const Message& each) {
      Blocks sent;
      return flatten(schedule_.ranges(each), sent) && sent == blocks;
    });
  }
  // Whether another round, or a message of this one, names the block.
  bool is_named_elsewhere(const Blocks& block, int round) const {
    int uses = 0;
    const auto count = [&](std::span<const BlockRange> ranges) {
      Blocks named;
      uses += flatten(ranges, named) && named == block ? 1 : 0;
    };
    for (const toccata::Step& each : schedule_.steps(round)) {
      count(schedule_.from(each));
      count(schedule_.into(each));
    }
    return uses != uses_[block.first];
  }

  const Schedule& schedule_;
  Program program_;
  std::vector<int> uses_;  // by scratch block
};

std::optional<Program> Program::compile(const Schedule& schedule) {
  return Compiler(schedule).compile();
}

std::size_t Program::memory() const {
  return rounds_.capacity() * sizeof(Round) + published_.capacity() * sizeof(Published) +
         readers_.capacity() * sizeof(int) + messages_.capacity() * sizeof(Blocks) +
         reads_.capacity() * sizeof(Read) + steps_.capacity() * sizeof(Step);
}

void Program::Run::start(const Program& program, Board& board, std::uint64_t call, int first,
                         const Memory& memory, const Operator& reduction, bool times_paths) {
  program_ = &program;
  board_ = &board;
  call_ = call;
  first_ = first;
  memory_ = memory;
  reduction_ = reduction;
  times_paths_ = times_paths;
  was_cut_ = false;
  round_ = 0;
  open_ = false;
}

bool Program::Run::go_on() {
  for (; round_ + 1 < program_->rounds_.size(); ++round_) {
    if (!open_) open_round();
    if (!exchange_.go_on()) return false;
    was_cut_ = was_cut_ || exchange_.was_cut();
    close_round();
  }
  return true;
}

int Program::Run::board_rank(int rank) const {
  rank += first_;
  return rank < board_->ranks() ? rank : rank - board_->ranks();
}

void Program::Run::open_round() {
  const Round& begin = program_->rounds_[round_];
  const Round& end = program_->rounds_[round_ + 1];
  const auto stretch = [&](const Blocks& blocks) {
    return memory_.sides[static_cast<int>(blocks.buffer)].stretch(blocks.first, blocks.count);
  };
  publications_.clear();
  readings_.clear();
  combinations_.clear();
  const std::span published(program_->published_.begin() + begin.published,
                            program_->published_.begin() + end.published);
  if (!published.empty()) {
    const std::uint32_t first_message = published.front().first_message;
    const std::uint32_t first_reader = published.front().first_reader;
    messages_.clear();
    readers_.clear();
    const Published& last = published.back();
    for (std::uint32_t i = first_message; i < last.first_message + last.messages; ++i)
      messages_.push_back(stretch(program_->messages_[i]));
    for (std::uint32_t i = first_reader; i < last.first_reader + last.readers; ++i)
      readers_.push_back(board_rank(program_->readers_[i]));
    for (const Published& each : published)
      publications_.push_back(
          {each.channel,
           std::span(readers_).subspan(each.first_reader - first_reader, each.readers),
           std::span(messages_).subspan(each.first_message - first_message, each.messages)});
  }
  for (std::uint32_t i = begin.reads; i < end.reads; ++i) {
    const Read& read = program_->reads_[i];
    Stretch into = stretch(read.into);
    if (read.in_place) into.data = nullptr;
    readings_.push_back({board_rank(read.publisher), read.channel, into});
  }
  in_place_ = begin.in_place && has_one_length(begin.steps, end.steps);
  if (!in_place_)
    for (std::uint32_t i = begin.reads; i < end.reads; ++i)
      readings_[i - begin.reads].into = stretch(program_->reads_[i].into);
  else
    for (std::uint32_t i = begin.steps; i < end.steps; ++i) {
      const Step& step = program_->steps_[i];
      const auto operand = [&](const Source& each) {
        return Operand{each.reading < 0 ? stretch(each.blocks).data : nullptr, each.reading};
      };
      combinations_.push_back(
          {operand(step.from), operand(step.other), stretch(step.into).data, step.reduces});
    }
  exchange_.open(*board_, call_, round_, program_->channels_, publications_, readings_,
                 combinations_, reduction_, times_paths_);
  open_ = true;
}

// Pieces of all operands hold the same elements. If a message is cut into blocks, these may differ
// by one element.
bool Program::Run::has_one_length(std::uint32_t first_step, std::uint32_t end_step) const {
  const auto bytes = [&](const Blocks& blocks) {
    return memory_.sides[static_cast<int>(blocks.buffer)].stretch(blocks.first, blocks.count).bytes;
  };
  const std::int64_t first = bytes(program_->steps_[first_step].into);
  return std::all_of(program_->steps_.begin() + first_step, program_->steps_.begin() + end_step,
                     [&](const Step& each) {
                       return bytes(each.from.blocks) == first &&
                              bytes(each.other.blocks) == first && bytes(each.into) == first;
                     });
}

void Program::Run::close_round() {
  open_ = false;
  const Round& begin = program_->rounds_[round_];
  if (in_place_) return;
  const auto stretch = [&](const Blocks& blocks) {
    return memory_.sides[static_cast<int>(blocks.buffer)].stretch(blocks.first, blocks.count);
  };
  for (std::uint32_t i = begin.steps; i < program_->rounds_[round_ + 1].steps; ++i) {
    const Step& step = program_->steps_[i];
    const Stretch from = stretch(step.from.blocks), into = stretch(step.into);
    const std::int64_t bytes = std::min(from.bytes, into.bytes);
    was_cut_ = was_cut_ || from.bytes > into.bytes;  // the program's sizes do not match
    if (bytes == 0) continue;
    if (step.reduces)
      reduction_(from.data, stretch(step.other.blocks).data, into.data, bytes);
    else if (from.data != into.data)
      std::memcpy(into.data, from.data, static_cast<std::size_t>(bytes));
  }
}

}  // namespace toccata::node
