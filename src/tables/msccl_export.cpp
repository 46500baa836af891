#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <vector>

#include "tables/msccl.h"

namespace toccata::msccl {

namespace {

struct Piece {
  BlockRange from, into;  // of one run each
};

// The ranges of both sides, cut where a run of either side ends.
std::vector<Piece> pieces(std::span<const BlockRange> from, std::span<const BlockRange> into) {
  const auto runs = [](std::span<const BlockRange> ranges) {
    BlockRanges result;
    for (const BlockRange& range : ranges)
      for (int run = 0; run < range.repeat; ++run)
        if (range.count > 0)
          result.push_back({range.buffer, range.first + run * range.stride, range.count});
    return result;
  };
  const BlockRanges ours = runs(from), theirs = runs(into);
  std::vector<Piece> result;
  std::size_t at = 0;
  int taken = 0;
  for (BlockRange each : ours)
    while (each.count > 0) {
      const BlockRange& other = theirs[at];
      const int count = std::min(each.count, other.count - taken);
      result.push_back(
          {{each.buffer, each.first, count}, {other.buffer, other.first + taken, count}});
      each.first += count;
      each.count -= count;
      taken += count;
      if (taken == other.count) {
        ++at;
        taken = 0;
      }
    }
  return result;
}

struct XmlStep {
  const char* type;
  Piece piece;
  int depends_block = -1, depends_step = -1;
  bool is_needed = false;
};

struct Block {
  int send = -1, recv = -1, channel = 0;
  std::vector<XmlStep> steps = {};
  std::map<int, int> waited = {};  // by other block: the last step for which this block waits
  std::vector<int> ends = {};      // by round: the number of steps up to its end
};

// The thread blocks of one rank.
class Rank {
 public:
  void add(int send, int recv, int channel, int round, const char* type,
           const std::vector<Piece>& pieces) {
    const auto [found, is_new] =
        numbers_.try_emplace({send, recv, channel}, static_cast<int>(blocks_.size()));
    if (is_new) blocks_.push_back({.send = send, .recv = recv, .channel = channel});
    const int number = found->second;
    wait_for_rounds_before(number, round);
    for (const Piece& each : pieces) blocks_[number].steps.push_back({.type = type, .piece = each});
    note(number, round);
  }

  std::vector<Block>& blocks() { return blocks_; }

 private:
  // A step can wait for one other step; to wait for more, empty steps precede it.
  void wait_for_rounds_before(int number, int round) {
    for (int other = 0; other < static_cast<int>(blocks_.size()); ++other) {
      const int last = other == number ? 0 : end_of(other, round - 1);
      int& waited = blocks_[number].waited[other];
      if (last <= waited) continue;
      waited = last;
      blocks_[other].steps[last - 1].is_needed = true;
      blocks_[number].steps.push_back(
          {.type = "nop", .piece = {}, .depends_block = other, .depends_step = last - 1});
      note(number, round);
    }
  }
  int end_of(int block, int round) const {
    const auto& ends = blocks_[block].ends;
    if (round < 0 || ends.empty()) return 0;
    return ends[std::min<std::size_t>(round, ends.size() - 1)];
  }
  void note(int number, int round) {
    auto& [send, recv, channel, steps, waited, ends] = blocks_[number];
    const int before = ends.empty() ? 0 : ends.back();
    if (static_cast<int>(ends.size()) <= round) ends.resize(round + 1, before);
    ends[round] = static_cast<int>(steps.size());
  }

  std::vector<Block> blocks_;
  std::map<std::array<int, 3>, int> numbers_;
};

char letter(Buffer buffer) {
  return buffer == Buffer::send ? 'i' : buffer == Buffer::recv ? 'o' : 's';
}

std::string quoted(std::string_view text) {
  std::string result;
  for (const char c : text)
    if (c == '&')
      result += "&amp;";
    else if (c == '<')
      result += "&lt;";
    else
      result += c == '"' ? '\'' : c;
  return result;
}

// The steps of all ranks.
std::vector<Rank> steps_of(const std::string& path, std::span<const Schedule> schedules) {
  const auto p = static_cast<int>(schedules.size());
  std::vector<Rank> ranks(p);
  int rounds = 0;
  for (const Schedule& each : schedules) rounds = std::max(rounds, each.rounds());
  using Key = std::pair<std::pair<int, int>, int>;  // sender, receiver, channel
  for (int round = 0; round < rounds; ++round) {
    std::map<Key, std::vector<const Message*>> received;
    for (int rank = 0; rank < p; ++rank)
      if (round < schedules[rank].rounds())
        for (const Message& each : schedules[rank].recvs(round))
          received[{{each.peer, rank}, each.channel}].push_back(&each);
    std::map<Key, std::size_t> met;
    for (int rank = 0; rank < p; ++rank) {
      if (round >= schedules[rank].rounds()) continue;
      for (const Message& each : schedules[rank].sends(round)) {
        const Key key{{rank, each.peer}, each.channel};
        const std::size_t number = met[key]++;
        if (number >= received[key].size())
          throw MscclError(path + ": rank " + std::to_string(rank) + ", round " +
                           std::to_string(round) +
                           ": a message is sent and received in different rounds");
        const Schedule& other = schedules[each.peer];
        const auto cut = pieces(schedules[rank].ranges(each), other.ranges(*received[key][number]));
        if (cut.empty()) throw MscclError(path + ": MSCCL has no messages without blocks");
        ranks[rank].add(each.peer, -1, each.channel, 2 * round, "s", cut);
        ranks[each.peer].add(-1, rank, each.channel, 2 * round, "r", cut);
      }
    }
    for (int rank = 0; rank < p; ++rank) {
      if (round >= schedules[rank].rounds()) continue;
      // Local steps run after the messages of their round: they are a round of their own.
      for (const Step& each : schedules[rank].steps(round))
        ranks[rank].add(-1, -1, 0, 2 * round + 1, each.reduces ? "re" : "cpy",
                        pieces(schedules[rank].from(each), schedules[rank].into(each)));
    }
  }
  return ranks;
}

std::string text_of(const Block& block, std::size_t number) {
  std::string xml = "    <tb id=\"" + std::to_string(number) + "\" send=\"" +
                    std::to_string(block.send) + "\" recv=\"" + std::to_string(block.recv) +
                    "\" chan=\"" + std::to_string(block.channel) + "\">\n";
  for (std::size_t i = 0; i < block.steps.size(); ++i) {
    const auto& [type, piece, depends_block, depends_step, is_needed] = block.steps[i];
    const bool nothing = std::string_view(type) == "nop";
    const auto place = [&](const BlockRange& range, const char* which) {
      return std::string(" ") + which + "buf=\"" + (nothing ? 'i' : letter(range.buffer)) + "\" " +
             which + "off=\"" + std::to_string(nothing ? -1 : range.first) + "\"";
    };
    xml += "      <step s=\"" + std::to_string(i) + "\" type=\"" + type + "\"" +
           place(piece.from, "src") + place(piece.into, "dst") + " cnt=\"" +
           std::to_string(nothing ? 0 : piece.from.count) + "\" depid=\"" +
           std::to_string(depends_block) + "\" deps=\"" + std::to_string(depends_step) +
           "\" hasdep=\"" + (is_needed ? "1" : "0") + "\"/>\n";
  }
  return xml + "    </tb>\n";
}

}  // namespace

std::string text(const Algorithm& algorithm, const Shape& shape,
                 std::span<const Schedule> schedules) {
  const Collective& collective = algorithm.collective;
  const std::array known{&allgather, &allreduce, &alltoall, &reduce_scatter};
  if (std::ranges::find(known, &collective) == known.end())
    throw MscclError(algorithm.path() +
                     ": MSCCL has programs for allgather, allreduce, alltoall and "
                     "reduce_scatter");
  std::vector<Rank> ranks = steps_of(algorithm.path(), schedules);
  const int chunks = std::max(collective.blocks(shape, 0, Buffer::send),
                              collective.blocks(shape, 0, Buffer::recv));
  int channels = 1;
  for (const Schedule& each : schedules) channels = std::max(channels, each.channels());
  std::string xml = "<algo name=\"" + quoted(algorithm.name) + "\" proto=\"Simple\" nchannels=\"" +
                    std::to_string(channels) + "\" nchunksperloop=\"" + std::to_string(chunks) +
                    "\" ngpus=\"" + std::to_string(shape.p) + "\" coll=\"" +
                    std::string(collective.name) + "\" inplace=\"0\" outofplace=\"1\">\n";
  for (int rank = 0; rank < shape.p; ++rank) {
    xml += "  <gpu id=\"" + std::to_string(rank) + "\" i_chunks=\"" +
           std::to_string(collective.blocks(shape, rank, Buffer::send)) + "\" o_chunks=\"" +
           std::to_string(collective.blocks(shape, rank, Buffer::recv)) + "\" s_chunks=\"" +
           std::to_string(blocks(schedules[rank].scratch())) + "\">\n";
    const auto& all = ranks[rank].blocks();
    for (std::size_t number = 0; number < all.size(); ++number) xml += text_of(all[number], number);
    xml += "  </gpu>\n";
  }
  return xml + "</algo>\n";
}

}  // namespace toccata::msccl
