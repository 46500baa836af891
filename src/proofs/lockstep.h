#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "writing/algorithm.h"

namespace toccata {

// The memory layout of an MPI datatype: pieces of bytes, and the distance to the next element. The
// pieces are in the order of the type map, which may differ from the order in memory.
struct ElementType {
  std::vector<std::pair<std::int64_t, std::int64_t>> pieces = {{0, 1}};  // offset, length
  std::int64_t extent = 1;

  std::int64_t size() const;
};

// A reduction of one element, with bytes in the order of the type map: into = from ∘ into. Both
// have the same number of bytes.
using Operator = void (*)(std::span<const std::byte> from, std::span<std::byte> into);

// Adds byte by byte, modulo 256.
void add(std::span<const std::byte> from, std::span<std::byte> into);

// Composes maps x -> a·x + b modulo 256, of two bytes (a, b) each, where a is made odd. Does not
// commute, and loses no information. The element has an even number of bytes.
void compose(std::span<const std::byte> from, std::span<std::byte> into);

// One call of a collective on bytes. Datum d has counts[d] elements; all element types have the
// same size, because their signatures are equal. If the collective reduces, both types must be the
// same.
struct ByteCall {
  std::vector<std::int64_t> counts;
  ElementType send_type = {};
  ElementType recv_type = {};
  // The start of block b in recv, in extents of recv_type; if empty, blocks are contiguous.
  std::vector<std::int64_t> displacements = {};
  // Send is a part of recv, or a packed copy of its contents, depending on the collective.
  bool in_place = false;
  Operator reduction = add;
};

// Runs the algorithm on real bytes, all ranks in this process. Checks every byte of recv, including
// those between and around the blocks, and that send is unchanged. Every rank contributes different
// bytes to a reduction; the expected result is computed rank by rank. Returns the first error, in
// one line; empty if there is none.
std::string lockstep(const Algorithm& algorithm, const Shape& shape, const ByteCall& call);

// The same for any schedules, one per rank.
std::string lockstep(const Collective& collective, const Shape& shape,
                     std::vector<Schedule> schedules, const ByteCall& call);

}  // namespace toccata
