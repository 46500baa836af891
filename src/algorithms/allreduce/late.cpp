// Allreduce for one late rank. While the others wait for it, they reduce and scatter their
// contributions. When it arrives, it scatters its contribution; each of the others adds its piece
// to its sum, and an allgather follows. So the late rank only has to send and receive the vector.
// [devraj2025]   k >= p, s segments   rounds after the arrival s + 2, with one segment 2
//                cost (s + 2)·(α + n/s·β) + n/(p-1)·γ
//
//   p = 4, rank 3 is late, pieces A B C
//   before the arrival   reduce-scatter among 0 1 2    rank 0 has A, 1 has B, 2 has C
//   after it             3>0 A  3>1 B  3>2 C           then A B C go from 0 1 2 to all others
//
// In the paper, it exchanges pieces with one rank after the other: p - 2 + log2 (p-1) rounds.

#include "patterns/arithmetic.h"
#include "schedule/combinators.h"
#include "writing/flat.h"

namespace toccata::algorithms::allreduce {

static const Parameter late_rank =
    number("late", "the late rank; -1 is the last rank", -1, (1 << 20) - 1, -1, {-1, 0});
static const Parameter radix =
    number("radix", "k: of scatter/knomial and allgather/recursive_multiplying", 2, 1 << 20, 8,
           {4, 1 << 20});  // with powers of two, a count of few ranks is exact
static const Parameter gathering = choice("allgather", "algorithm of the allgather: allgather/...",
                                          {"recursive_multiplying", "sparbit"});
static const Parameter segments =
    number_of_segments("s: segments, which follow each other", {1, 3}, 1);

static Flat before() { return {toccata::reduce_scatter, "circulant"}; }
static Flat scatter(const Shape& shape) {
  return {toccata::scatter, "knomial", shape.parameters[radix]};
}
static Flat gather(const Shape& shape) {
  const bool has_radix = shape.parameters.is(gathering, "recursive_multiplying");
  return {toccata::allgather, gathering.text(shape.parameters[gathering]),
          has_radix ? shape.parameters[radix] : 0};
}

// The first segment after the arrival. Place 0 of the circle is the late rank, which has no piece.
static Schedule after(const Shape& shape, std::span<const int> circle, int place) {
  const auto pieces = [&](Buffer buffer) {
    BlockMap map = BlockMap::table({BlockRanges{}});
    for (int i = 0; i + 1 < shape.p; ++i) map.add({buffer, i});
    return map;
  };
  const auto one = [&](const BlockRange& block) {
    return BlockMap::table({place > 0 ? BlockRanges{block} : BlockRanges{}});
  };
  ScheduleBuilder schedule;
  const BlockRange own = recv(place - 1);
  const BlockRange received = place > 0 ? schedule.scratch({own}) : BlockRange{};
  const Schedule down = on(circle, scatter(shape).schedule(shape.p, place), pieces(Buffer::send),
                           one(received), schedule.scratch_blocks());
  schedule.go_on({&down, 1}, scatter(shape).rounds(shape.p));
  if (place > 0) schedule.reduce(received, own);
  schedule.then(on(circle, gather(shape).schedule(shape.p, place), one(own), pieces(Buffer::recv)));
  return std::move(schedule).build();
}

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const int p = shape.p, s = shape.parameters[segments], late = shape.parameters[late_rank];
  if (p == 1) return void(schedule.round().copy(send(0, s), recv(0, s)));
  std::vector<int> circle;
  for (int i = 0; i < p; ++i) circle.push_back(wrap((late < 0 ? p - 1 : late) + i, p));
  const int place = wrap(rank - circle[0], p);
  Schedule reduced;
  if (place > 0)
    reduced = on(std::span(circle).subspan(1), before().schedule(p - 1, place - 1),
                 BlockMap::affine(Buffer::send, 0), BlockMap::affine(Buffer::recv, place - 1));
  schedule.then(segmented(reduced, p - 1, s, 0), before().rounds(p - 1))
      .then(segmented(after(shape, circle, place), p - 1, s, 1));
}

static std::optional<Cost> claim(const Shape& shape) {
  const int s = shape.parameters[segments], others = shape.p - 1;
  if (others == 0) return Cost{.copied = s};
  if (shape.parameters[radix] < shape.p || gather(shape).algorithm().name == "sparbit") return {};
  Cost first = before().claim(others).of(s);
  first.messages *= s;
  return first + Cost{std::min(2 * s, s + 2), s * others, s * others, 0, s};
}

extern const Algorithm late{
    .name = "late",
    .collective = toccata::allreduce,
    .summary = "the others reduce while they wait for one late rank; never automatic",
    .citation = "devraj2025",
    .claim = claim,
    .parameters = {late_rank, radix, gathering, segments},
    .parts =
        [](const Shape& shape) { return shape.parameters[segments] * std::max(1, shape.p - 1); },
    .impossible =
        [](const Shape& shape) {
          const int rank = shape.parameters[late_rank];
          return rank < shape.p ? "" : "late=" + std::to_string(rank) + " is not a rank";
        },
    .write = write,
};

}  // namespace toccata::algorithms::allreduce
