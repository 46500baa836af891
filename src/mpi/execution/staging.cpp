#include "mpi/execution/staging.h"

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "mpi/settings/settings.h"
#include "mpi/world/world.h"

namespace toccata {

namespace {

// Calls visit(offset, elements, type) for every block with data, offsets in bytes.
template <typename Visit>
int for_each_block(const Side& side, int blocks, const DatatypeTable& datatypes, Visit&& visit) {
  DatatypeTraits traits;
  std::int64_t before = 0;  // elements
  for (int block = 0; block < blocks; ++block) {
    const std::int64_t elements = side.elements(block);
    if (elements == 0) continue;
    if (side.typed || before == 0)
      if (int code = datatypes.look_up(side.type_of(block), traits); code != MPI_SUCCESS)
        return code;
    const std::int64_t offset = side.typed    ? side.places[block]
                                : side.placed ? side.places[block] * traits.extent
                                              : before * traits.extent;
    before += elements;
    if (int code = visit(offset, elements, traits); code != MPI_SUCCESS) return code;
  }
  return MPI_SUCCESS;
}

// The address of the first data of a side.
const void* first_data(const Side& side, int blocks, const DatatypeTable& datatypes) {
  static constexpr int found_it = -1;
  std::int64_t found = 0;
  const int code =
      for_each_block(side, blocks, datatypes,
                     [&](std::int64_t offset, std::int64_t, const DatatypeTraits& traits) {
                       MPI_Aint lower = 0, extent = 0;
                       if (!traits.plain) PMPI_Type_get_true_extent(traits.type, &lower, &extent);
                       found = offset + lower;
                       return found_it;
                     });
  return code == found_it ? static_cast<const char*>(side.buffer) + found : nullptr;
}

struct Piece {
  std::int64_t offset, bytes;
};

// The bytes of one element that hold data. To find them, MPI unpacks ones into zeros.
int pieces_of(const DatatypeTraits& traits, std::vector<Piece>& pieces) {
  MPI_Aint lower = 0, extent = 0;
  PMPI_Type_get_true_extent(traits.type, &lower, &extent);
  std::vector<unsigned char> element(static_cast<std::size_t>(extent), 0);
  const std::vector<unsigned char> ones(static_cast<std::size_t>(traits.size), 0xff);
  int position = 0;
  // Calculated as a number, because the beginning of the element may lie outside of the memory.
  auto* const origin =
      reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(element.data()) - lower);
  if (int code = PMPI_Unpack(ones.data(), static_cast<int>(ones.size()), &position, origin, 1,
                             traits.type, World::self());
      code != MPI_SUCCESS)
    return code;
  for (auto at = element.begin(); at != element.end();) {
    const auto first = std::find(at, element.end(), 0xff);
    at = std::find(first, element.end(), 0);
    if (first != at) pieces.push_back({lower + (first - element.begin()), at - first});
  }
  return MPI_SUCCESS;
}

}  // namespace

Staging::~Staging() {
  for (const Image& each : images_)
    if (each.is_pinned)
      each.runtime->give_back_pinned(each.memory);
    else
      std::free(each.memory);
}

// Joins the piece to the previous rows if it continues them.
void Staging::add_piece(Data& data, std::int64_t offset, std::int64_t bytes) {
  if (bytes == 0) return;
  if (!data.empty()) {
    Rows& last = data.back();
    const bool is_alone = last.rows == 1;
    if (is_alone && last.end() == offset) {
      last.bytes += bytes;
      return;
    }
    if (last.bytes == bytes && offset >= last.offset + last.bytes &&
        (is_alone || offset == last.offset + last.rows * last.stride)) {
      last.stride = is_alone ? offset - last.offset : last.stride;
      ++last.rows;
      return;
    }
  }
  data.push_back({offset, bytes, 1, 0});
}

int Staging::add(Data& data, const Side& side, int blocks, const DatatypeTable& datatypes) {
  MPI_Datatype known = MPI_DATATYPE_NULL;
  std::vector<Piece> pieces;  // of that
  return for_each_block(
      side, blocks, datatypes,
      [&](std::int64_t offset, std::int64_t elements, const DatatypeTraits& traits) {
        if (traits.plain) {
          add_piece(data, offset, elements * traits.size);
          return static_cast<int>(MPI_SUCCESS);
        }
        if (traits.type != known) {
          pieces.clear();
          if (int code = pieces_of(traits, pieces); code != MPI_SUCCESS) return code;
          known = traits.type;
        }
        for (std::int64_t element = 0; element < elements; ++element)
          for (const Piece& each : pieces)
            add_piece(data, offset + element * traits.extent + each.offset, each.bytes);
        return static_cast<int>(MPI_SUCCESS);
      });
}

Places::Places(const Operation& call, const Seat& seat, const DatatypeTable& datatypes)
    : call_(call), rank_(seat.rank) {
  const Collective& collective = call.collective;
  // Most calls do not need the loop over all blocks, which takes as long as the runtime's answer.
  const auto is_simple = [&](const Side& side) {
    return !side.placed && !side.typed && datatypes.is_predefined(side.type);
  };
  if (seat.sends > 0 && !call.send.in_place())
    of_sent = device_runtime_of(is_simple(collective.reduces ? call.recv : call.send)
                                    ? call.send.buffer
                                    : first_data(sent(), seat.sends, datatypes));
  if (call.recv.in_place() || (collective.rooted && collective.reduces && seat.receives == 0))
    return;
  const bool by_operands = reads_operands();
  const int blocks = by_operands ? seat.sends : seat.receives;
  if (blocks > 0)
    of_received = device_runtime_of(
        is_simple(call.recv) ? call.recv.buffer
                             : first_data(by_operands ? call.recv : received(), blocks, datatypes));
}

Side Places::sent() const {
  if (!call_.collective.reduces) return call_.send;
  Side result = call_.recv;
  result.buffer = call_.send.buffer;
  return result;
}

Side Places::received() const {
  Side result = call_.recv;
  if (call_.collective.reduces && result.counted) {
    result.counted = false;
    result.count = call_.recv.elements(rank_);
  }
  return result;
}

// Returns whether every message is one contiguous range of plain data in one buffer, with a number
// of bytes that fits an int.
bool Staging::goes_directly(const Operation& call, const Seat& seat, const DatatypeTable& datatypes,
                            const Plan& plan, const Places& places) {
  if (plan.longest_stretch == 0 || places.differ() || !Settings::get().sends_from_devices())
    return false;
  std::int64_t bytes = 0;
  const auto fits = [&](const Side& side, int blocks) {
    if (blocks == 0 || side.in_place()) return true;
    if (plan.longest_stretch > 1 && (side.counted || side.typed)) return false;
    return for_each_block(side, blocks, datatypes,
                          [&](std::int64_t, std::int64_t elements, const DatatypeTraits& traits) {
                            bytes += elements * traits.size;
                            return traits.plain && bytes <= INT_MAX ? MPI_SUCCESS : MPI_ERR_TYPE;
                          }) == MPI_SUCCESS;
  };
  return fits(call.send, seat.sends) && fits(call.recv, seat.receives);
}

// The parts of its buffers that a call reads and writes, by its collective.
int Staging::replace(Operation& call, const Seat& seat, const DatatypeTable& datatypes,
                     const Plan& plan, const Places& places) {
  if (goes_directly(call, seat, datatypes, plan, places)) {
    direct_ = places.any_of_both();
    return MPI_SUCCESS;
  }
  const Collective& collective = call.collective;
  const bool reads_operands = places.reads_operands();
  if (places.of_sent != nullptr) {
    Data read;
    if (int code = add(read, places.sent(), seat.sends, datatypes); code != MPI_SUCCESS)
      return code;
    if (int code = make(call.send, std::move(read), {}, *places.of_sent); code != MPI_SUCCESS)
      return code;
  }
  if (places.of_received == nullptr) return MPI_SUCCESS;
  Data read, written;
  const bool is_input = collective.one_buffer && seat.rank == call.root;
  if (reads_operands) {
    if (int code = add(read, call.recv, seat.sends, datatypes); code != MPI_SUCCESS) return code;
  }
  if (seat.receives > 0)
    if (int code = add(written, places.received(), seat.receives, datatypes); code != MPI_SUCCESS)
      return code;
  if (is_input)
    read = std::exchange(written, {});
  else if ((call.send.in_place() && !collective.reduces) || collective.among_neighbors)
    read = written;  // at the border of a mesh, no neighbour writes a block
  return make(call.recv, std::move(read), std::move(written), *places.of_received);
}

int Staging::make(Side& side, Data read, Data written, const DeviceRuntime& runtime) {
  Image image{.runtime = &runtime, .buffer = static_cast<char*>(side.buffer)};
  std::int64_t end = 0;
  bool is_first = true;
  for (const Data* data : {&read, &written})
    for (const Rows& each : *data) {
      image.first = is_first ? each.offset : std::min(image.first, each.offset);
      end = is_first ? each.end() : std::max(end, each.end());
      is_first = false;
    }
  if (is_first) return MPI_SUCCESS;
  image.read = std::move(read);
  image.written = std::move(written);
  images_.reserve(images_.size() + 1);
  const auto bytes = static_cast<std::size_t>(end - image.first);
  image.memory = static_cast<char*>(runtime.take_pinned(bytes, image.buffer + image.first));
  image.is_pinned = image.memory != nullptr;
  if (!image.is_pinned) image.memory = static_cast<char*>(std::malloc(bytes));
  if (image.memory == nullptr) throw std::bad_alloc();
  // The address that the buffer's beginning would have; it may lie outside of the image.
  side.buffer = reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(image.memory) -
                                        static_cast<std::uintptr_t>(image.first));
  images_.push_back(std::move(image));
  return MPI_SUCCESS;
}

int Staging::copy(const Image& image, const Data& data, bool into_image) {
  if (data.empty()) return MPI_SUCCESS;
  std::vector<DeviceCopy> copies;
  copies.reserve(data.size());
  for (const Rows& each : data) {
    char* const here = image.memory + (each.offset - image.first);
    char* const there = image.buffer + each.offset;
    const auto stride = static_cast<std::size_t>(each.stride);
    copies.push_back({.into = into_image ? here : there,
                      .from = into_image ? there : here,
                      .bytes = static_cast<std::size_t>(each.bytes),
                      .rows = static_cast<std::size_t>(each.rows),
                      .into_stride = stride,
                      .from_stride = stride});
  }
  const char* const device = image.buffer + data.front().offset;
  return image.runtime->copy(copies, device) ? MPI_SUCCESS : MPI_ERR_OTHER;
}

int Staging::copy_in() const {
  int error = MPI_SUCCESS;
  for (const Image& each : images_)
    if (int code = copy(each, each.read, true); error == MPI_SUCCESS) error = code;
  return error;
}

int Staging::copy_out() const {
  int error = MPI_SUCCESS;
  for (const Image& each : images_)
    if (int code = copy(each, each.written, false); error == MPI_SUCCESS) error = code;
  return error;
}

}  // namespace toccata
