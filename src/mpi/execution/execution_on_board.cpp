// The part of Execution for published messages, which use the memory of the node.

#include <algorithm>

#include "mpi/execution/copying.h"
#include "mpi/execution/execution.h"

namespace toccata {

// Pieces of operands end between elements. If an element is longer than a piece, or a schedule has
// too many channels, MPI messages are used instead; all ranks make the same decision.
bool Execution::goes_on_board() const {
  if (transport().board() == nullptr || !plan().publishes) return false;
  if (schedule().channels() > node::Board::most_channels) return false;
  return !plan().units.reduces ||
         binding.recv.traits().size <= std::int64_t{transport().board()->most_element()};
}

node::Operator Execution::reduction() {
  if (!plan().units.reduces) return {};
  const DatatypeTraits& traits = binding.recv.traits();
  reduction_ = {traits.type, binding.operation, traits.size};
  return reduction_.combines();
}

namespace {

// Lays out a buffer as memory without gaps; returns false if it has gaps. If blocks are equal, it
// is then laid out as if they were packed.
bool lay_out(const Layout& layout, std::int64_t blocks, std::vector<std::int64_t>& begins,
             node::Memory::Side& side) {
  if (blocks == 0) return true;
  side.base = layout.block(0).address;
  if (layout.is_uniform()) {
    side.block = layout.bytes(0);
    return layout.traits().plain;
  }
  begins.assign(1, 0);
  for (std::int64_t block = 0; block < blocks; ++block) {
    const Run run = layout.block(block);
    if (!run.traits->plain || run.address != side.base + begins.back()) return false;
    begins.push_back(begins.back() + run.bytes());
  }
  side.begins = begins;
  return true;
}

}  // namespace

bool Execution::lay_out(node::Memory& memory) {
  const Units& units = plan().units;
  const std::int64_t numbers[] = {std::int64_t{units.send} * units.parts,
                                  std::int64_t{units.recv} * units.parts,
                                  blocks(schedule().scratch())};
  bool has_no_gaps = true;
  for (const Buffer buffer : {Buffer::send, Buffer::recv, Buffer::scratch}) {
    const int i = static_cast<int>(buffer);
    if (!toccata::lay_out(binding[buffer], numbers[i], begins_[i], memory.sides[i]))
      has_no_gaps = false;
  }
  return has_no_gaps;
}

bool Execution::start_program() {
  node::Memory memory;
  runs_program_ = on_board_ && plan().program && transport().all_on_board() && lay_out(memory);
  if (runs_program_)
    program_.start(*plan().program, *transport().board(), transport().call(), transport().turn(),
                   memory, reduction(), transport().times_paths());
  return runs_program_;
}

int Execution::end_program() {
  if (program_.was_cut()) note(MPI_ERR_TRUNCATE);
  if (plan().program->uses_scratch() || binding.has_stand_ins()) finish();
  return error();
}

std::optional<node::Memory> Execution::memory_on_board() {
  node::Memory memory;
  const bool ran = on_board_ && plan().program && transport().all_on_board();
  if (!ran || binding.has_stand_ins()) return {};
  const bool packs =
      !plan().units.reduces && binding.send.is_uniform() && binding.recv.is_uniform();
  return lay_out(memory) || packs ? std::optional(memory) : std::nullopt;
}

// A message as one piece of memory: in place, or staged.
node::Stretch Execution::collect(const Message& message, bool is_send) {
  runs_.clear();
  collect_runs(schedule().ranges(message), runs_);
  const std::int64_t bytes = total_bytes(runs_);
  if (runs_.empty()) return {};
  if (runs_.size() == 1 && runs_[0].traits->plain) return {runs_[0].address, bytes};
  char* const staged = staging_.take(bytes);
  if (is_send) {
    note(pack_runs(runs_, staged, transport().comm()));
  } else {
    const std::size_t first = unpack_runs_.size();
    unpack_runs_.insert(unpack_runs_.end(), runs_.begin(), runs_.end());
    unpackings_.push_back({first, unpack_runs_.size(), staged});
  }
  return {staged, bytes};
}

void Execution::add_reading(const Message& message) {
  readings_.push_back(
      {transport().board_rank_of(message.peer), message.channel, collect(message, false)});
}

// If all readers on a channel read the same message, it is staged and published once.
void Execution::open_exchange() {
  exchanging_ = !published_.empty() || !readings_.empty();
  if (!exchanging_) return;
  publications_.clear();
  readers_.clear();
  messages_.clear();
  readers_.reserve(published_.size());  // spans of both stay valid
  messages_.reserve(published_.size());
  std::ranges::stable_sort(published_, {}, [](const Message* each) { return each->channel; });
  for (auto first = published_.begin(); first != published_.end();) {
    const auto end = std::find_if(first, published_.end(), [&](const Message* each) {
      return each->channel != (*first)->channel;
    });
    const bool common = std::all_of(first, end, [&](const Message* each) {
      return std::ranges::equal(schedule().ranges(*each), schedule().ranges(**first));
    });
    const std::size_t first_reader = readers_.size(), first_message = messages_.size();
    for (auto each = first; each != end; ++each) {
      readers_.push_back(transport().board_rank_of((*each)->peer));
      if (each == first || !common) messages_.push_back(collect(**each, true));
    }
    publications_.push_back({(*first)->channel, std::span(readers_).subspan(first_reader),
                             std::span(messages_).subspan(first_message)});
    first = end;
  }
  exchange_.open(*transport().board(), transport().call(), static_cast<std::uint32_t>(round()),
                 schedule().channels(), publications_, readings_, {}, reduction(),
                 transport().times_paths());
}

}  // namespace toccata
