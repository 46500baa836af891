#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/algorithm.h"

namespace toccata {

// An MPI datatype, as far as memory is concerned: pieces of bytes in the order of the type map,
// which need not be the order of memory, and the distance to the next element.
struct ElementType {
  std::vector<std::pair<std::int64_t, std::int64_t>> pieces = {{0, 1}};  // offset, length
  std::int64_t extent = 1;

  std::int64_t size() const;
};

// What a reduction does with one element, its bytes in the order of the type map:
// into = from ∘ into. Both have as many bytes.
using Operator = void (*)(std::span<const std::byte> from, std::span<std::byte> into);

// Adds byte by byte, modulo 256.
void add(std::span<const std::byte> from, std::span<std::byte> into);

// Composes maps x -> a·x + b modulo 256, two bytes (a, b) each, where a is taken as odd. Does not
// commute, and forgets nothing. The element has an even number of bytes.
void compose(std::span<const std::byte> from, std::span<std::byte> into);

// One call of a collective on bytes. Datum d has counts[d] elements; all element types have the
// same size, as equal signatures do. Where the collective reduces, both types must be the same.
struct ByteCall {
  std::vector<std::int64_t> counts;
  ElementType send_type = {};
  ElementType recv_type = {};
  // Where block b of recv begins, in extents of recv_type; none given, the blocks lie side by side.
  std::vector<std::int64_t> displacements = {};
  // Send is a part of recv, or a packed copy of what was in it, as in the collective.
  bool in_place = false;
  Operator reduction = add;
};

// Runs the algorithm on real bytes, all ranks in this process, and checks every byte of recv, those
// between the blocks and around them included, and that send is as it was. Every rank has other
// bytes to contribute to a reduction, whose result is computed rank by rank.
// Returns what is wrong first, in one line; empty if nothing is.
std::string lockstep(const Algorithm& algorithm, const Shape& shape, const ByteCall& call);

// The same for schedules from anywhere, one for every rank.
std::string lockstep(const Collective& collective, const Shape& shape,
                     std::vector<Schedule> schedules, const ByteCall& call);

}  // namespace toccata
