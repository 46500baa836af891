#pragma once

#include <cstdint>

#include "patterns/binomial.h"
#include "patterns/folded_cube.h"

namespace toccata {

// Bine trees and butterflies, based on binomial negabinary numbers [desensi2025]. Their steps
// alternate between both directions, whereas binomial steps always lead upwards. So a step has
// distance 2^j - 2^(j-1) + 2^(j-2) - ... instead of 2^j, a third less.
//
//   1  -1  3  -5  11  -21 ...        which are 1, 11, 111, 1111, ... in base -2
constexpr int bine_distance(int j) {
  int distance = 1;
  for (; j > 0; --j) distance = 1 - 2 * distance;
  return distance;
}

// In a butterfly, the peer of an even place is one Bine distance above it, and the peer of an odd
// place is below it. If `mirrored`, the directions are reversed. On a circle with an even number of
// places, peers form pairs.
constexpr int bine_peer(int place, int j, int places, bool mirrored = false) {
  const bool up = (place % 2 == 0) != mirrored;
  return wrap(up ? place + bine_distance(j) : place - bine_distance(j), places);
}

// A tree of 2^k places on a circle: the binomial tree of their labels. The label of a place is its
// number in base -2, with each bit XORed with the next higher bit. Changing one bit of a label
// changes this bit and all lower bits of the number in base -2. This is a step of a Bine distance,
// up or down.
//
//   places     0    1    2    3    4    5    6    7        0 - 3 - 4 - 5
//   base -2  000  001  110  111  100  101  010  011            3 - 2
//   label    000  001  101  100  110  111  011  010        0 - 7 - 6
//                                                          0 - 1
struct BineLabels {
  int places;

  int label(int place) const {
    const std::uint32_t negabinary = (static_cast<std::uint32_t>(place) + odd_bits) ^ odd_bits;
    const std::uint32_t low = negabinary & static_cast<std::uint32_t>(places - 1);
    return static_cast<int>(low ^ (low >> 1));
  }
  int place(int label) const { return from_negabinary(negabinary(label)); }

  // The first of 2^bits consecutive places: those whose labels differ from `label` only in the
  // lowest `bits` bits.
  int first(int label, int bits) const {
    const std::uint32_t low = (1U << bits) - 1;
    return from_negabinary((negabinary(label) & ~low) | (low & odd_bits));
  }

 private:
  static constexpr std::uint32_t odd_bits = 0xAAAAAAAA;  // bits with negative weight

  static std::uint32_t negabinary(int label) {
    auto bits = static_cast<std::uint32_t>(label);
    for (int shift = 1; shift < 32; shift *= 2) bits ^= bits >> shift;
    return bits;
  }
  int from_negabinary(std::uint32_t bits) const {
    return static_cast<int>(((bits ^ odd_bits) - odd_bits) &
                            static_cast<std::uint32_t>(places - 1));
  }
};

// A Bine tree of the ranks, in which a folded pair (FoldedCube) is one place. The root is at place
// 0.
struct BineTree {
  FoldedCube cube;
  BineLabels labels;
  Binomial tree;  // of the labels

  static BineTree of(int p, int rank, int root) {
    const FoldedCube cube{p, root};
    const BineLabels labels{cube.leaves()};
    const int place = wrap(cube.leaf(rank) - cube.leaf(root), labels.places);
    return {cube, labels, Binomial::of(labels.places, labels.label(place), 0)};
  }

  int rounds() const { return floor_log2(cube.p) + (cube.pairs() > 0 ? 1 : 0); }
  // The rank that acts for the place with this label.
  int rank(int label) const { return cube.owner(leaf(labels.place(label))); }

  // The ranks in the subtree of a label whose lowest `bits` bits are 0: `count` consecutive ranks
  // on the circle.
  struct Ranks {
    int first, count;
  };
  Ranks subtree(int label, int bits) const {
    const int begin = leaf(labels.first(label, bits)), end = begin + (1 << bits);
    const int first = cube.first(begin), over = end - labels.places;
    return {first, (over < 0 ? cube.first(end) : cube.p + cube.first(over)) - first};
  }

 private:
  int leaf(int place) const { return wrap(place + cube.leaf(cube.root), labels.places); }
};

}  // namespace toccata
