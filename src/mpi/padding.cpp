#include "mpi/padding.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "mpi/copying.h"

namespace toccata {

namespace {

std::vector<std::int64_t> sizes(const Layout& layout, int blocks) {
  std::vector<std::int64_t> result(blocks);
  for (int block = 0; block < blocks; ++block) result[block] = layout.bytes(block);
  return result;
}

}  // namespace

int Padding::prepare(const Plan& plan, MPI_Comm comm, int rank, int first_tag) {
  plan_ = &plan;
  comm_ = comm;
  rank_ = rank;
  first_tag_ = first_tag;
  padded_ = false;
  error_ = MPI_SUCCESS;
  int p;
  PMPI_Comm_size(comm, &p);
  each_.assign(p, 0);
  own_ = std::ranges::max(sizes(binding.send, p));

  const DatatypeTraits integers{MPI_INT64_T, sizeof(std::int64_t), sizeof(std::int64_t), true};
  agreement_.binding.send.uniform(&own_, integers, 1);
  agreement_.binding.recv.uniform(each_.data(), integers, 1);
  return agreement_.prepare(*plan.agreement, comm, rank, first_tag);
}

int Padding::run(Background& background) {
  if (int code = agreement_.run(background); code != MPI_SUCCESS) return code;
  if (int code = pad(); code != MPI_SUCCESS) return code;
  note(exchange_.run(background));
  note(unpad());
  return error_;
}

int Padding::start() { return agreement_.start(); }

int Padding::test(bool& done) {
  if (!padded_) {
    if (int code = agreement_.test(done); code != MPI_SUCCESS || !done) return code;
    if (int code = pad(); code != MPI_SUCCESS) return code;
    if (int code = exchange_.start(); code != MPI_SUCCESS) return code;
    padded_ = true;
  }
  note(exchange_.test(done));
  if (!done) return MPI_SUCCESS;
  note(unpad());
  return error_;
}

// Messages of both parts have the same tags, and match in the order of posting. What cannot be
// copied is an error at the end: others wait for our part. In front of each padded block stands its
// size, as the receiver may have room for more, or by mistake for less.
int Padding::pad() {
  const auto p = static_cast<int>(each_.size());
  const std::int64_t largest = std::ranges::max(each_);
  slot_ = largest == 0 ? 0 : size_bytes + largest;
  memory_.reset();
  try {
    char* const sent = memory_.take(slot_ * p);
    received_ = memory_.take(slot_ * p);
    if (slot_ > 0) {
      const std::vector<std::int64_t> bytes = sizes(binding.send, p);
      for (int block = 0; block < p; ++block)
        std::memcpy(sent + block * slot_, &bytes[block], size_bytes);
      slots_.slots(sent + size_bytes, packed_traits(), bytes, slot_);
      note(copy_blocks(binding.send, slots_, p, comm_, rank_, first_tag_));
    }
    exchange_.binding.send.uniform(sent, packed_traits(), slot_);
    exchange_.binding.recv.uniform(received_, packed_traits(), slot_);
    exchange_.binding.reset();
    exchange_.complete(*plan_);
  } catch (const std::bad_alloc&) {
    return MPI_ERR_NO_MEM;
  }
  return exchange_.prepare(*plan_, comm_, rank_, first_tag_);
}

int Padding::unpad() {
  if (slot_ == 0) return MPI_SUCCESS;
  const auto p = static_cast<int>(each_.size());
  std::vector<std::int64_t> bytes(p);
  for (int block = 0; block < p; ++block) {
    std::memcpy(&bytes[block], received_ + block * slot_, size_bytes);
    const std::int64_t room = binding.recv.bytes(block);
    if (bytes[block] > room) note(MPI_ERR_TRUNCATE);
    bytes[block] = std::clamp<std::int64_t>(bytes[block], 0, std::min(room, slot_ - size_bytes));
  }
  slots_.slots(received_ + size_bytes, packed_traits(), std::move(bytes), slot_);
  const int code = copy_blocks(slots_, binding.recv, p, comm_, rank_, first_tag_);
  memory_.reset();
  return code;
}

}  // namespace toccata
