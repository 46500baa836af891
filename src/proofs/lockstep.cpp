#include "proofs/lockstep.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "proofs/sizing.h"
#include "proofs/walk.h"

namespace toccata {

std::int64_t ElementType::size() const {
  std::int64_t total = 0;
  for (const auto& [offset, length] : pieces) total += length;
  return total;
}

void add(std::span<const std::byte> from, std::span<std::byte> into) {
  for (std::size_t i = 0; i < into.size(); ++i)
    into[i] = std::byte(std::to_integer<unsigned>(from[i]) + std::to_integer<unsigned>(into[i]));
}

void compose(std::span<const std::byte> from, std::span<std::byte> into) {
  for (std::size_t i = 0; i + 1 < into.size(); i += 2) {
    const auto a = std::to_integer<unsigned>(from[i]) | 1;
    const auto b = std::to_integer<unsigned>(from[i + 1]);
    into[i] = std::byte(a * (std::to_integer<unsigned>(into[i]) | 1));
    into[i + 1] = std::byte(a * std::to_integer<unsigned>(into[i + 1]) + b);
  }
}

namespace {

constexpr std::byte untouched{0xA5};

// A byte that depends on its datum, its position, and its contributor if ranks contribute.
std::byte pattern(Datum datum, int contributor, std::int64_t index) {
  std::uint64_t x = static_cast<std::uint64_t>(datum) * 0x9E3779B97F4A7C15ULL +
                    static_cast<std::uint64_t>(contributor) * 0xD1B54A32D192ED03ULL + index + 1;
  x = (x ^ (x >> 31)) * 0xBF58476D1CE4E5B9ULL;
  return static_cast<std::byte>(x >> 56);
}

// Memory of one buffer of one rank, from the lowest byte that a block touches to the highest.
class Region {
 public:
  Region(ElementType type, std::vector<std::int64_t> starts, std::vector<std::int64_t> counts)
      : type_(std::move(type)), starts_(std::move(starts)), counts_(std::move(counts)) {
    std::int64_t low = 0;
    std::int64_t high = 0;
    for (std::size_t block = 0; block < starts_.size(); ++block)
      for_each_piece(static_cast<int>(block), [&](std::int64_t offset, std::int64_t length) {
        low = std::min(low, offset);
        high = std::max(high, offset + length);
      });
    origin_ = margin - low;
    bytes_.assign(high - low + 2 * margin, untouched);
  }

  // Calls visit(offset in memory, length) for the pieces of a block, in the order of the type map.
  template <typename Visit>
  void for_each_piece(int block, Visit&& visit) const {
    for (std::int64_t element = 0; element < counts_[block]; ++element)
      for (const auto& [offset, length] : type_.pieces)
        visit((starts_[block] + element) * type_.extent + offset, length);
  }

  void pack(int block, std::vector<std::byte>& out) const {
    for_each_piece(block, [&](std::int64_t offset, std::int64_t length) {
      const auto first = bytes_.begin() + origin_ + offset;
      out.insert(out.end(), first, first + length);
    });
  }

  // Returns the number of bytes taken, or -1 if there are too few.
  std::int64_t unpack(int block, const std::byte* in, std::int64_t available) {
    std::int64_t taken = 0;
    for_each_piece(block, [&](std::int64_t offset, std::int64_t length) {
      if (taken < 0 || taken + length > available) {
        taken = -1;
        return;
      }
      std::copy_n(in + taken, length, bytes_.begin() + origin_ + offset);
      taken += length;
    });
    return taken;
  }

  // Writes the contribution of a rank to a datum, or the datum itself if ranks contribute nothing.
  void fill(int block, Datum datum, int contributor) {
    std::int64_t index = 0;
    for_each_piece(block, [&](std::int64_t offset, std::int64_t length) {
      for (std::int64_t i = 0; i < length; ++i)
        bytes_[origin_ + offset + i] = pattern(datum, contributor, index++);
    });
  }
  // Writes the reduced contributions of the first `ranks` ranks.
  void fill_reduced(int block, Datum datum, int ranks, Operator reduction) {
    fill(block, datum, ranks - 1);
    std::vector<std::byte> upper, lower;
    pack(block, upper);
    for (int rank = ranks - 2; rank >= 0; --rank) {
      fill(block, datum, rank);
      lower.clear();
      pack(block, lower);
      reduce(lower, upper, reduction);
    }
    unpack(block, upper.data(), static_cast<std::int64_t>(upper.size()));
  }

  // Reduces a block of `other`, which may be this region, into a block of this region; false if
  // their sizes differ.
  bool reduce(const Region& other, int from, int into, Operator reduction) {
    std::vector<std::byte> lower, upper;
    other.pack(from, lower);
    pack(into, upper);
    if (lower.size() != upper.size()) return false;
    reduce(lower, upper, reduction);
    unpack(into, upper.data(), static_cast<std::int64_t>(upper.size()));
    return true;
  }

  int blocks() const { return static_cast<int>(starts_.size()); }
  // Marks a block as input, which is never written.
  void protect(int block) {
    input_.resize(starts_.size());
    input_[block] = true;
  }
  bool is_input(int block) const { return !input_.empty() && input_[block]; }
  const std::vector<std::byte>& bytes() const { return bytes_; }
  // The position of a byte, relative to the buffer's address.
  std::int64_t offset(std::int64_t index) const { return index - origin_; }

 private:
  // Element by element.
  void reduce(const std::vector<std::byte>& lower, std::vector<std::byte>& upper,
              Operator reduction) const {
    const auto size = static_cast<std::size_t>(type_.size());
    for (std::size_t first = 0; first < upper.size(); first += size)
      reduction({lower.data() + first, size}, {upper.data() + first, size});
  }

  static constexpr std::int64_t margin = 16;
  ElementType type_;
  std::vector<std::int64_t> starts_;
  std::vector<std::int64_t> counts_;
  std::int64_t origin_ = 0;
  std::vector<std::byte> bytes_;
  std::vector<bool> input_;  // by block; empty if there is none
};

class Run : public WalkVisitor {
 public:
  Run(const Collective& collective, const Shape& shape, std::vector<Schedule> schedules,
      const ByteCall& call)
      : collective_(collective), shape_(shape), call_(call), schedules_(std::move(schedules)) {
    for (int rank = 0; rank < shape.p; ++rank) {
      const Sizing sizing(collective_, shape, rank, schedules_[rank]);
      ranks_.push_back({region(sizing, Buffer::send), region(sizing, Buffer::recv),
                        region(sizing, Buffer::scratch)});
      for (const Buffer buffer : {Buffer::send, Buffer::recv})
        for (int block = 0; block < sizing.blocks(buffer); ++block)
          if (const Datum datum = collective_.before(shape, rank, buffer, block);
              datum != nothing) {
            const auto [region, index] = resolve(rank, buffer, block);
            region->fill(index, datum, collective_.reduces ? rank : 0);
            if (buffer == Buffer::recv || region == ranks_[rank].data() ||
                collective_.recv_is_in_send)
              region->protect(index);
          }
    }
  }

  std::string run() {
    const std::string stuck = walk(schedules_, *this);
    if (!error_.empty()) return error_;
    if (!stuck.empty()) return stuck;
    for (int rank = 0; rank < shape_.p; ++rank)
      if (std::string error = check_recv(rank); !error.empty()) return error;
    return "";
  }

  void moved(int sender, const Message& send, int receiver, const Message& receive) override {
    move(sender, schedules_[sender].ranges(send), receiver, schedules_[receiver].ranges(receive));
  }
  void stepped(int rank, int, const Step& step) override {
    const auto from = schedules_[rank].from(step), into = schedules_[rank].into(step);
    if (step.reduces)
      reduce(rank, from, into);
    else
      move(rank, from, rank, into);
  }

 private:
  // The type of a buffer's elements. The elements of scratch are packed, unless an operator reads
  // them. The elements of send are packed if send is a copy of the contents of recv.
  const ElementType& type_of(Buffer buffer) const {
    if (collective_.reduces || buffer == Buffer::recv) return call_.recv_type;
    const bool send_is_copy = call_.in_place && collective_.in_place == nullptr;
    return buffer == Buffer::scratch || send_is_copy ? packed_ : call_.send_type;
  }

  Region region(const Sizing& sizing, Buffer buffer) const {
    std::vector<std::int64_t> starts, counts;
    std::int64_t next = 0;
    for (int block = 0; block < sizing.blocks(buffer); ++block) {
      counts.push_back(call_.counts[sizing(buffer, block)]);
      const bool displaced = buffer == Buffer::recv && !call_.displacements.empty();
      starts.push_back(displaced ? call_.displacements[block] : next);
      next += counts.back();
    }
    return {type_of(buffer), std::move(starts), std::move(counts)};
  }

  using Place = std::pair<Region*, int>;  // a block of a region

  Place resolve(int rank, Buffer buffer, int block) {
    if (call_.in_place && collective_.in_place != nullptr && buffer == Buffer::send)
      if (const int place = collective_.in_place(shape_, rank, block); place != nothing)
        return {&ranks_[rank][1], place};
    return {&ranks_[rank][static_cast<int>(buffer)], block};
  }

  std::vector<Place> resolve(int rank, std::span<const BlockRange> ranges) {
    std::vector<Place> result;
    for (const BlockRange& range : ranges)
      for_each_block(range,
                     [&](int block) { result.push_back(resolve(rank, range.buffer, block)); });
    return result;
  }

  void check_no_input(int rank, const std::vector<Place>& written) {
    for (const auto& [region, block] : written)
      if (region->is_input(block) && error_.empty())
        error_ = "rank " + std::to_string(rank) + ": block " + std::to_string(block) + " of " +
                 (region == ranks_[rank].data() ? "send" : "recv") + " is input, but is written";
  }

  void move(int sender, std::span<const BlockRange> sent, int receiver,
            std::span<const BlockRange> received) {
    const auto from = resolve(sender, sent), into = resolve(receiver, received);
    if (from == into) return;  // a copy that changes nothing, for example in place
    check_no_input(receiver, into);
    std::vector<std::byte> wire;
    for (const auto& [region, block] : from) region->pack(block, wire);
    std::int64_t taken = 0;
    for (const auto& [region, block] : into) {
      const auto left = static_cast<std::int64_t>(wire.size()) - taken;
      const std::int64_t more = taken < 0 ? -1 : region->unpack(block, wire.data() + taken, left);
      taken = more < 0 ? -1 : taken + more;
    }
    if (taken != static_cast<std::int64_t>(wire.size()) && error_.empty())
      error_ = "rank " + std::to_string(receiver) + ": the " + std::to_string(wire.size()) +
               " bytes from rank " + std::to_string(sender) +
               " do not match the sizes of its blocks";
  }

  void reduce(int rank, std::span<const BlockRange> from, std::span<const BlockRange> into) {
    const auto lower = resolve(rank, from), upper = resolve(rank, into);
    check_no_input(rank, upper);
    for (std::size_t i = 0; i < upper.size(); ++i)
      if (!upper[i].first->reduce(*lower[i].first, lower[i].second, upper[i].second,
                                  call_.reduction) &&
          error_.empty())
        error_ = "rank " + std::to_string(rank) +
                 ": a block is reduced into a block of a different size";
  }

  std::string check_recv(int rank) {
    const Schedule nothing_more;
    const Sizing sizing(collective_, shape_, rank, nothing_more);
    Region expected = region(sizing, Buffer::recv);
    const int contributors =
        collective_.contributors != nullptr ? collective_.contributors(shape_, rank) : shape_.p;
    for (int block = 0; block < expected.blocks(); ++block)
      if (const Datum datum = collective_.after(shape_, rank, Buffer::recv, block);
          datum != nothing) {
        if (collective_.reduces)
          expected.fill_reduced(block, datum, contributors, call_.reduction);
        else
          expected.fill(block, datum, 0);
      }
    const auto& found = ranks_[rank][1].bytes();
    const auto [wrong, right] = std::ranges::mismatch(found, expected.bytes());
    if (wrong == found.end()) return "";
    return "rank " + std::to_string(rank) + ": recv is wrong at byte " +
           std::to_string(expected.offset(wrong - found.begin()));
  }

  const Collective& collective_;
  const Shape& shape_;
  const ByteCall& call_;
  const ElementType packed_{{{0, call_.recv_type.size()}}, call_.recv_type.size()};
  std::vector<Schedule> schedules_;
  std::vector<std::array<Region, 3>> ranks_;
  std::string error_;
};

}  // namespace

std::string lockstep(const Algorithm& algorithm, const Shape& shape, const ByteCall& call) {
  std::vector<Schedule> schedules;
  for (int rank = 0; rank < shape.p; ++rank) schedules.push_back(algorithm.schedule(shape, rank));
  return lockstep(algorithm.collective, shape, std::move(schedules), call);
}

std::string lockstep(const Collective& collective, const Shape& shape,
                     std::vector<Schedule> schedules, const ByteCall& call) {
  return Run(collective, shape, std::move(schedules), call).run();
}

}  // namespace toccata
