// A random MPI application: soak SEED STEPS [passes=N] [FEATURE...]
//
// All ranks draw the same program from the seed. Each rank draws its own data from seed and rank.
// The digest of a rank covers all data that it receives. The program runs several times. Rank 0
// prints:
//
// - all digests, the number of callbacks, and the number of calls of an operation with an unknown
//   datatype; none of these may depend on the library that serves the calls
// - the memory in use after each pass over the program.
//
// soak.py runs it bare and under Toccata and compares. The program does not need Toccata; if
// Toccata is preloaded, the program also uses requests of toccata.h.
//
// Features that some MPIs lack, or in which they fail:
//   threads   two to four at a time, each with communicators of its own
//   spawn     two more processes for some time
//   groups    MPI_Comm_create_from_group, of MPI 4
//   inter     intercommunicators and their collectives
//   errors    wrong arguments, and a handler that counts them
//   trace     prints each call to standard error

#include <mpi.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <malloc.h>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "toccata/toccata.h"

// Functions of toccata.h: present if the library is preloaded, otherwise null.
#pragma weak toccata_iallgather
#pragma weak toccata_iallgatherv
#pragma weak toccata_ialltoall
#pragma weak toccata_ialltoallv
#pragma weak toccata_ialltoallw
#pragma weak toccata_ibcast
#pragma weak toccata_igather
#pragma weak toccata_igatherv
#pragma weak toccata_iscatter
#pragma weak toccata_iscatterv
#pragma weak toccata_ireduce
#pragma weak toccata_iallreduce
#pragma weak toccata_ireduce_scatter
#pragma weak toccata_ireduce_scatter_block
#pragma weak toccata_iscan
#pragma weak toccata_iexscan
#pragma weak toccata_ibarrier
#pragma weak toccata_wait

namespace {

using Bytes = std::vector<unsigned char>;
using Word = std::uint64_t;

Word mix(Word a, Word b) {
  Word x = a * 0x9e3779b97f4a7c15 + b + 0x632be59bd9b4e019;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

class Random {
 public:
  explicit Random(Word seed) : state_(seed) {}
  Word next() { return state_ = mix(state_, 1); }
  int below(int n) { return n > 0 ? static_cast<int>(next() % n) : 0; }
  bool chance(int percent) { return below(100) < percent; }
  template <class T>
  T one_of(std::initializer_list<T> all) {
    return all.begin()[below(static_cast<int>(all.size()))];
  }
  template <class T>
  void shuffle(std::vector<T>& all) {
    for (int i = static_cast<int>(all.size()); i > 1; --i) std::swap(all[i - 1], all[below(i)]);
  }

 private:
  Word state_;
};

const char* program;  // the name for spawning it
std::set<std::string> features;
bool has(const char* feature) { return features.contains(feature); }

// Counters that all threads share.
std::atomic<long> copies, deletes, errors;
int attribute = MPI_KEYVAL_INVALID;  // of communicators
int type_mark = MPI_KEYVAL_INVALID;  // marks the program's datatypes for its operations
std::atomic<long> unknown_types;

int copy_attribute(MPI_Comm, int, void*, void* from, void* into, int* flag) {
  ++copies;
  *static_cast<void**>(into) = from;
  *flag = 1;
  return MPI_SUCCESS;
}

int delete_attribute(MPI_Comm, int, void*, void*) {
  ++deletes;
  return MPI_SUCCESS;
}

void count_error(MPI_Comm*, int* code, ...) {
  ++errors;
  char words[MPI_MAX_ERROR_STRING];
  int length;
  if (has("trace") && MPI_Error_string(*code, words, &length) == MPI_SUCCESS)
    std::fprintf(stderr, "error: %s\n", words);
}

// ---- Datatypes

struct Layout {
  MPI_Datatype type, base;
  int elements = 1;  // of `base` in each item
  MPI_Aint extent = 0;
  bool made = false;

  void free() {
    if (made) MPI_Type_free(&type);
    made = false;
  }
};

void finish(Layout& layout) {
  MPI_Type_commit(&layout.type);
  MPI_Aint lower;
  MPI_Type_get_extent(layout.type, &lower, &layout.extent);
  layout.made = true;
}

Layout random_layout(Random& random) {
  Layout layout;
  layout.base = random.one_of({MPI_INT, MPI_DOUBLE, MPI_CHAR, MPI_SHORT});
  layout.type = layout.base;
  MPI_Aint lower, extent;
  MPI_Type_get_extent(layout.base, &lower, &extent);
  layout.extent = extent;
  const int n = 1 + random.below(4);
  MPI_Datatype inner;
  switch (random.below(6)) {
    case 0:
      layout.elements = n;
      MPI_Type_contiguous(n, layout.base, &layout.type);
      break;
    case 1:
      layout.elements = 2 * n;
      MPI_Type_vector(n, 2, 3, layout.base, &layout.type);
      break;
    case 2: {  // a struct with gaps, and pieces in random order
      std::array lengths{1, n};
      std::array<MPI_Aint, 2> places{(n + 2) * extent, extent};
      std::array types{layout.base, layout.base};
      layout.elements = 1 + n;
      MPI_Type_create_struct(2, lengths.data(), places.data(), types.data(), &layout.type);
      break;
    }
    case 3:  // resized, with a gap after each item
      layout.elements = n;
      MPI_Type_contiguous(n, layout.base, &inner);
      MPI_Type_create_resized(inner, 0, (n + 1) * extent, &layout.type);
      MPI_Type_free(&inner);
      break;
    default:
      return layout;
  }
  finish(layout);
  return layout;
}

// ---- Operations. One of them is not commutative: the composition of x -> a x + b, modulo 2^64.

struct Affine {
  Word a, b;
};

template <class Combine>
void each_pair(void* from, void* into, int* count, MPI_Datatype* type, Combine combine) {
  MPI_Aint lower, extent;
  MPI_Type_get_extent(*type, &lower, &extent);
  void* mark;
  int marked = 0;
  MPI_Type_get_attr(*type, type_mark, &mark, &marked);
  if (!marked) ++unknown_types;
  for (int i = 0; i < *count; ++i) {
    Affine x, y;
    std::memcpy(&x, static_cast<char*>(from) + i * extent, sizeof x);
    std::memcpy(&y, static_cast<char*>(into) + i * extent, sizeof y);
    y = combine(x, y);
    std::memcpy(static_cast<char*>(into) + i * extent, &y, sizeof y);
  }
}

void compose(void* from, void* into, int* count, MPI_Datatype* type) {
  each_pair(from, into, count, type, [](Affine x, Affine y) {
    return Affine{x.a * y.a, x.a * y.b + x.b};
  });
}

void add_both(void* from, void* into, int* count, MPI_Datatype* type) {
  each_pair(from, into, count, type, [](Affine x, Affine y) {
    return Affine{x.a + y.a, x.b ^ y.b};
  });
}

struct Reduction {
  Layout layout;
  MPI_Op op;
  bool made = false;
  // Writes a value of rank `salt`; doubles are small integers, so that sums are exact.
  std::function<void(unsigned char*, Word salt)> fill;

  void free() {
    if (made) MPI_Op_free(&op);
    made = false;
    layout.free();
  }
};

template <class T>
void put(unsigned char* place, T value) {
  std::memcpy(place, &value, sizeof value);
}

Reduction random_reduction(Random& random) {
  Reduction reduction;
  Layout& layout = reduction.layout;
  switch (random.below(6)) {
    case 0:
      layout = {MPI_INT, MPI_INT, 1, sizeof(int)};
      reduction.op = random.one_of({MPI_BXOR, MPI_MAX, MPI_MIN, MPI_BAND, MPI_BOR, MPI_SUM});
      reduction.fill = [](auto* at, Word salt) { put(at, static_cast<int>(salt % 1000000)); };
      return reduction;
    case 1:
      layout = {MPI_DOUBLE, MPI_DOUBLE, 1, sizeof(double)};
      reduction.op = random.one_of({MPI_SUM, MPI_MAX, MPI_SUM});
      reduction.fill = [](auto* at, Word salt) { put(at, static_cast<double>(salt % 100000)); };
      return reduction;
    case 2:
      struct Pair {
        int value, place;
      };
      layout = {MPI_2INT, MPI_2INT, 1, sizeof(Pair)};
      reduction.op = random.one_of({MPI_MAXLOC, MPI_MINLOC});
      reduction.fill = [](auto* at, Word salt) {
        put(at, Pair{static_cast<int>(salt % 4), static_cast<int>(salt / 4 % 100)});
      };
      return reduction;
    case 3:
      layout = {MPI_FLOAT, MPI_FLOAT, 1, sizeof(float)};
      reduction.op = random.one_of({MPI_SUM, MPI_PROD});
      reduction.fill = [](auto* at, Word salt) { put(at, static_cast<float>(1 + salt % 3)); };
      return reduction;
    default: {
      // MPICH 4.0.2 itself reads beyond its buffers if such a type has a gap at its end.
      layout.base = MPI_UNSIGNED_LONG;
      layout.elements = 2;
      MPI_Datatype pair;
      MPI_Type_contiguous(2, MPI_UNSIGNED_LONG, &pair);
#ifdef OPEN_MPI
      const bool gap = random.chance(50);
#else
      const bool gap = false;
#endif
      if (!gap) {
        layout.type = pair;
      } else {
        MPI_Type_create_resized(pair, 0, 3 * sizeof(Word), &layout.type);
        MPI_Type_free(&pair);
      }
      finish(layout);
      MPI_Type_set_attr(layout.type, type_mark, nullptr);
      const bool commutes = random.chance(40);
      MPI_Op_create(commutes ? add_both : compose, commutes, &reduction.op);
      reduction.made = true;
      reduction.fill = [](auto* at, Word salt) { put(at, Affine{salt | 1, mix(salt, 7)}); };
      return reduction;
    }
  }
}

// ---- Communicators. Every rank has the list of members of each one.

struct Comm {
  MPI_Comm handle = MPI_COMM_NULL;
  std::vector<int> ranks;   // of the world, in the communicator's order
  std::vector<int> remote;  // the other group of an intercommunicator
  int size() const { return static_cast<int>(ranks.size()); }
};

// The forms of a collective call.
enum class Mode { blocking, nonblocking, ours, persistent };

// ---- One thread's part of the program.

class Soak {
 public:
  Soak(MPI_Comm world, Word seed) : seed_(seed) {
    MPI_Comm_rank(world, &me_);
    MPI_Comm_size(world, &p_);
    world_.handle = world;
    world_.ranks.resize(p_);
    std::iota(world_.ranks.begin(), world_.ranks.end(), 0);
  }

  Word digest() const { return digest_; }

  void fold(const void* data, std::size_t size) {
    const auto* byte = static_cast<const unsigned char*>(data);
    for (std::size_t i = 0; i < size; ++i) digest_ = (digest_ ^ byte[i]) * 0x100000001b3;
  }
  void fold(Word number) { fold(&number, sizeof number); }

  // The whole program.
  void run(int steps);

  // Calls that are allowed at any time: blocking collectives on a communicator of all ranks.
  void collectives(int count) {
    for (int i = 0; i < count; ++i) one(world_, mix(seed_, i), Mode::blocking);
  }

 private:
  struct Call;  // a collective and its data, until its end
  using Calls = std::vector<std::unique_ptr<Call>>;

  Word seed_, digest_ = 0xcbf29ce484222325;
  int me_ = 0, p_ = 0;
  Comm world_;
  std::vector<Comm> comms_;  // created by the program

  Bytes filled(std::size_t size, Word salt) const {
    Bytes bytes(size + 16);
    Random random(mix(salt, 100 + me_));
    for (auto& byte : bytes) byte = static_cast<unsigned char>(random.next());
    return bytes;
  }

  struct Shape {
    int p, rank, root, n;
    bool in_place;
  };

  std::unique_ptr<Call> start(const Comm& comm, Word salt, Mode mode);
  void reduce(Call& c, int kind, MPI_Comm comm, const Shape& shape, Random& random, Word salt,
              Mode mode);
  void move(Call& c, int kind, MPI_Comm comm, const Shape& shape, Random& random, Random& mine,
            Word salt, Mode mode);
  void end(Call& call);
  void one(const Comm& comm, Word salt, Mode mode) { end(*start(comm, salt, mode)); }
  void between(const Comm& comm, Random& random);
  void in_flight(Random& random);
  void wildcards(Random& random);
  void wrong(const Comm& comm, Random& random);
  void make(Random& random);
  void split(const Comm& parent, Random& random);
  void add(MPI_Comm handle, std::vector<int> ranks, Random& random, std::vector<int> remote = {});
  void drop(int which);
  void threads(Random& random);
  void spawn(Random& random);
  // Returns a copy, because comms_ grows. Never an intercommunicator.
  Comm any(Random& random) const {
    const int which = random.below(static_cast<int>(comms_.size()) + 1);
    return which == 0 || !comms_[which - 1].remote.empty() ? world_ : comms_[which - 1];
  }
};

// The blocks of a vector form, in a random order with gaps. Counts are in items of a datatype.
struct Blocks {
  std::vector<int> counts, places;
  int items = 0;

  Blocks(std::vector<int> sizes, Random& random) : counts(std::move(sizes)), places(counts.size()) {
    std::vector<int> order(counts.size());
    std::iota(order.begin(), order.end(), 0);
    random.shuffle(order);
    for (const int i : order) {
      // With one rank, MPICH 4.0.2's own allgatherv ignores displacements, and Open MPI 4.1.4's own
      // alltoallw confuses bytes with items.
      places[i] = items + (order.size() == 1 ? 0 : random.below(3));
      items = places[i] + counts[i];
    }
  }
};

struct Soak::Call {
  Bytes send, recv;
  Layout layout;
  Reduction reduction;
  std::vector<std::vector<int>>
      numbers;  // counts and displacements, kept until the end of the call
  std::vector<MPI_Datatype> send_types, recv_types;
  std::size_t told = 0;  // the number of result bytes in `recv`
  int kind = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  toccata_request ours = TOCCATA_REQUEST_NULL;
  bool persistent = false;

  const int* keep(std::vector<int> list) { return numbers.emplace_back(std::move(list)).data(); }
};

#if MPI_VERSION >= 4
#define PERSISTENT(name, ...)                                      \
  case Mode::persistent:                                           \
    MPI_##name##_init(__VA_ARGS__, MPI_INFO_NULL, &call->request); \
    MPI_Start(&call->request);                                     \
    call->persistent = true;                                       \
    break;
#else
#define PERSISTENT(name, ...)
#endif

// Without the functions of toccata.h, a request of MPI replaces them.
#define CALL(name, lower, ...)                               \
  switch (mode) {                                            \
    case Mode::blocking:                                     \
      MPI_##name(__VA_ARGS__);                               \
      break;                                                 \
      PERSISTENT(name, __VA_ARGS__)                          \
    case Mode::ours:                                         \
      if (toccata_i##lower != nullptr) {                     \
        toccata_i##lower(__VA_ARGS__, nullptr, &call->ours); \
        break;                                               \
      }                                                      \
      [[fallthrough]];                                       \
    default:                                                 \
      MPI_I##lower(__VA_ARGS__, &call->request);             \
  }

constexpr std::array kinds{"reduce",         "allreduce", "reduce_scatter_block",
                           "reduce_scatter", "allgather", "allgatherv",
                           "alltoall",       "alltoallv", "alltoallw",
                           "bcast",          "gather",    "gatherv",
                           "scatter",        "scatterv",  "barrier",
                           "scan",           "exscan"};

std::unique_ptr<Soak::Call> Soak::start(const Comm& comm, Word salt, Mode mode) {
  auto call = std::make_unique<Call>();
  if (comm.handle == MPI_COMM_NULL) return call;
  call->numbers.reserve(8);
  Random random(mix(salt, 2)), mine(mix(salt, 1000 + me_));  // the same on all ranks; and per rank
  int rank;
  MPI_Comm_rank(comm.handle, &rank);
  const int kind = call->kind = random.below(kinds.size());
  const Shape shape{.p = comm.size(),
                    .rank = rank,
                    .root = random.below(comm.size()),
                    .n = random.one_of({0, 1, 1, 2, 3, 5, 17, 64, 257, random.below(6000)}),
                    .in_place = random.chance(25)};
  if (has("trace"))
    std::fprintf(stderr, "rank %d of world %d: %s p %d root %d n %d in place %d mode %d\n", rank,
                 me_, kinds[kind], shape.p, shape.root, shape.n, shape.in_place,
                 static_cast<int>(mode));
  if (kind < 4 || kind > 14)
    reduce(*call, kind, comm.handle, shape, random, salt, mode);
  else
    move(*call, kind, comm.handle, shape, random, mine, salt, mode);
  // MPI keeps the objects that it needs. The program keeps user-defined operations until the end.
  if (mine.chance(50)) {
    call->layout.free();
    if (call->ours == TOCCATA_REQUEST_NULL) call->reduction.free();
  }
  return call;
}

void Soak::reduce(Call& c, int kind, MPI_Comm comm, const Shape& shape, Random& random, Word salt,
                  Mode mode) {
  Call* call = &c;
  const auto [p, rank, root, n, wanted] = shape;
#ifdef OPEN_MPI
  const bool in_place = wanted;
#else
  // MPICH 4.0.2 itself crashes in some of these calls.
  const bool in_place = wanted && (kind > 0 || root == 0);
#endif
  std::vector<int> sizes(p);
  for (int& size : sizes) size = random.chance(20) ? 0 : random.below(n + 1);
  Reduction& reduction = c.reduction = random_reduction(random);
  const MPI_Datatype type = reduction.layout.type;
  const MPI_Op op = reduction.op;
  const MPI_Aint extent = reduction.layout.extent;
  const int total = kind == 2 ? n * p : kind == 3 ? std::reduce(sizes.begin(), sizes.end()) : n;
  c.send = filled(extent * total, salt);
  for (int i = 0; i < total; ++i) reduction.fill(&c.send[i * extent], mix(mix(salt, me_), i));
  c.recv = in_place ? c.send : filled(extent * total, salt + 1);
  const void* from = in_place ? MPI_IN_PLACE : c.send.data();
  void* into = c.recv.data();
  // In place, MPI does not specify the data after the result.
  const int result = kind == 2 ? n : kind == 3 ? sizes[rank] : n;
  c.told = in_place && kind >= 2 ? extent * result : c.recv.size();
  switch (kind) {
    case 0:
      if (rank != root) {
        from = c.send.data();
        into = nullptr;
        c.told = 0;
      }
      CALL(Reduce, reduce, from, into, n, type, op, root, comm);
      break;
    case 1:
      CALL(Allreduce, allreduce, from, into, n, type, op, comm);
      break;
    case 2:
      CALL(Reduce_scatter_block, reduce_scatter_block, from, into, n, type, op, comm);
      break;
    case 3:
      CALL(Reduce_scatter, reduce_scatter, from, into, c.keep(sizes), type, op, comm);
      break;
    case 15:
      CALL(Scan, scan, from, into, n, type, op, comm);
      break;
    default:
      if (rank == 0) c.told = 0;
      CALL(Exscan, exscan, from, into, n, type, op, comm);
  }
}

void Soak::move(Call& c, int kind, MPI_Comm comm, const Shape& shape, Random& random, Random& mine,
                Word salt, Mode mode) {
  Call* call = &c;
  const auto [p, rank, root, n, wanted] = shape;
#ifdef OPEN_MPI
  // Open MPI 4.1.4 itself hangs after some of these calls.
  const bool in_place = wanted && (mode == Mode::blocking || (kind != 7 && kind != 8));
#else
  const bool in_place = wanted;
#endif
  const bool at_root = rank == root;
  const Layout& layout = c.layout = random_layout(random);
  const Word counts = random.next();
  // The number of items from i to j, or their sizes. If requested, both directions are equal.
  const auto count = [&](int i, int j) {
    const Word drawn = mix(counts, in_place ? mix(std::min(i, j), std::max(i, j)) : mix(i, j));
    return drawn % 5 == 0 ? 0 : static_cast<int>(drawn / 5 % (n + 1));
  };
  // Each side describes the same values by the datatype or by its elements. By the standard, ranks
  // may use different descriptions. However, the native algorithms of most collectives then fail,
  // because they depend on the local size of datatypes. Every rank chooses the positions of its
  // blocks.
  Random& whose = kind == 4 || kind == 6 ? mine : random;
  struct Side {
    MPI_Datatype type;
    int scale;
    MPI_Aint extent;
  };
  MPI_Aint lower, element;
  MPI_Type_get_extent(layout.base, &lower, &element);
  const auto side = [&] {
    return whose.chance(60) ? Side{layout.type, 1, layout.extent}
                            : Side{layout.base, layout.elements, element};
  };
  const Side out = side(), in = side();
  const int sent = n * out.scale, received = n * in.scale;

  const auto buffers = [&](int items_sent, int items_received) {
    // An item of a datatype may extend beyond its extent, into the gaps of the next one.
    c.send = filled(out.extent * items_sent + layout.extent, salt);
    c.recv = filled(in.extent * items_received + layout.extent, salt + 1);
    c.told = c.recv.size();
  };
  const void* const nothing = MPI_IN_PLACE;
  const auto blocks_of = [&](const Side& of, auto size) {
    std::vector<int> sizes(p);
    for (int r = 0; r < p; ++r) sizes[r] = size(r) * of.scale;
    return Blocks(std::move(sizes), mine);
  };

  switch (kind) {
    case 4:
      buffers(sent, received * p);
      CALL(Allgather, allgather, in_place ? nothing : c.send.data(), sent, out.type, c.recv.data(),
           received, in.type, comm);
      break;
    case 5: {
      const auto blocks = blocks_of(in, [&](int r) { return count(r, r); });
      buffers(sent, blocks.items);
      const int *sizes = c.keep(blocks.counts), *places = c.keep(blocks.places);
      CALL(Allgatherv, allgatherv, in_place ? nothing : c.send.data(),
           count(rank, rank) * out.scale, out.type, c.recv.data(), sizes, places, in.type, comm);
      break;
    }
    case 6:
      buffers(sent * p, received * p);
      CALL(Alltoall, alltoall, in_place ? nothing : c.send.data(), sent, out.type, c.recv.data(),
           received, in.type, comm);
      break;
    case 7: {
      const auto to = blocks_of(out, [&](int r) { return count(rank, r); });
      const auto from = blocks_of(in, [&](int r) { return count(r, rank); });
      buffers(to.items, from.items);
      const int *sizes_to = c.keep(to.counts), *places_to = c.keep(to.places);
      const int *sizes = c.keep(from.counts), *places = c.keep(from.places);
      CALL(Alltoallv, alltoallv, in_place ? nothing : c.send.data(), sizes_to, places_to, out.type,
           c.recv.data(), sizes, places, in.type, comm);
      break;
    }
    case 8: {
      auto to = blocks_of(out, [&](int r) { return count(rank, r); });
      auto from = blocks_of(in, [&](int r) { return count(r, rank); });
      buffers(to.items, from.items);
      for (int& place : to.places) place *= static_cast<int>(out.extent);
      for (int& place : from.places) place *= static_cast<int>(in.extent);
#ifdef OPEN_MPI
      // Open MPI 4.1.4's own MPI_Ialltoallw, to which our function may forward calls, crashes in
      // some of them.
      mode = Mode::blocking;
#endif
      c.send_types.assign(p, out.type);
      c.recv_types.assign(p, in.type);
      const int *sizes_to = c.keep(to.counts), *places_to = c.keep(to.places);
      const int *sizes = c.keep(from.counts), *places = c.keep(from.places);
      CALL(Alltoallw, alltoallw, in_place ? nothing : c.send.data(), sizes_to, places_to,
           c.send_types.data(), c.recv.data(), sizes, places, c.recv_types.data(), comm);
      break;
    }
    case 9:
      buffers(0, received);
      CALL(Bcast, bcast, c.recv.data(), received, in.type, root, comm);
      break;
    case 10:
    case 11: {
      const auto blocks = blocks_of(in, [&](int r) { return count(r, r); });
      buffers(sent, at_root ? std::max(received * p, blocks.items) : 0);
      const int *sizes = c.keep(blocks.counts), *places = c.keep(blocks.places);
      const void* from = in_place && at_root ? nothing : c.send.data();
      if (kind == 10) {
        CALL(Gather, gather, from, sent, out.type, at_root ? c.recv.data() : nullptr, received,
             in.type, root, comm);
      } else {
        CALL(Gatherv, gatherv, from, count(rank, rank) * out.scale, out.type,
             at_root ? c.recv.data() : nullptr, sizes, places, in.type, root, comm);
      }
      break;
    }
    case 12:
    case 13: {
      const auto blocks = blocks_of(out, [&](int r) { return count(r, r); });
      buffers(at_root ? std::max(sent * p, blocks.items) : 0, received);
      const int *sizes = c.keep(blocks.counts), *places = c.keep(blocks.places);
      void* into = in_place && at_root ? MPI_IN_PLACE : c.recv.data();
      if (kind == 12) {
        CALL(Scatter, scatter, at_root ? c.send.data() : nullptr, sent, out.type, into, received,
             in.type, root, comm);
      } else {
        CALL(Scatterv, scatterv, at_root ? c.send.data() : nullptr, sizes, places, out.type, into,
             count(rank, rank) * in.scale, in.type, root, comm);
      }
      break;
    }
    default:
      CALL(Barrier, barrier, comm);
  }
}

void Soak::end(Call& call) {
  if (call.ours != TOCCATA_REQUEST_NULL) toccata_wait(&call.ours);
  MPI_Wait(&call.request, MPI_STATUS_IGNORE);
  if (call.persistent) MPI_Request_free(&call.request);
  fold(call.recv.data(), call.told);
  fold(call.send.data(), call.send.size());  // must be unchanged
  if (has("trace"))
    std::fprintf(stderr, "world %d: %s gives %016lx\n", me_, kinds[call.kind], digest_);
  call.layout.free();
  call.reduction.free();
}

// Collectives on an intercommunicator.
void Soak::between(const Comm& comm, Random& random) {
  const bool first = std::ranges::count(comm.ranks, me_) > 0;
  const int kind = random.below(5), n = random.below(50), sender = random.below(comm.size());
  const Word salt = random.next();  // drawn on all ranks, because another draw may follow
  const int others = static_cast<int>(first ? comm.remote.size() : comm.ranks.size());
  if (comm.handle == MPI_COMM_NULL) return;
  int rank;
  MPI_Comm_rank(comm.handle, &rank);
  Bytes send = filled(n * others, salt), recv = filled(n * others, 1);
  const int root = first ? (rank == sender ? MPI_ROOT : MPI_PROC_NULL) : sender;
  switch (kind) {
    case 0:
      MPI_Allgather(send.data(), n, MPI_BYTE, recv.data(), n, MPI_BYTE, comm.handle);
      break;
    case 1:
      MPI_Alltoall(send.data(), n, MPI_BYTE, recv.data(), n, MPI_BYTE, comm.handle);
      break;
    case 2:
      MPI_Bcast(recv.data(), n, MPI_BYTE, root, comm.handle);
      break;
    case 3:
      MPI_Allreduce(send.data(), recv.data(), n, MPI_BYTE, MPI_BXOR, comm.handle);
      break;
    default:
      MPI_Barrier(comm.handle);
  }
  fold(recv.data(), recv.size());
}

// Several open collectives, on the same communicator and others, with blocking calls in between.
void Soak::in_flight(Random& random) {
  Calls calls;
  const int count = 1 + random.below(5);
  for (int i = 0; i < count; ++i) {
    const Mode mode = random.one_of({Mode::nonblocking, Mode::ours, Mode::ours, Mode::persistent});
    calls.push_back(start(any(random), random.next(), mode));
    if (random.chance(30)) one(any(random), random.next(), Mode::blocking);
  }
  if (random.chance(30)) make(random);
  random.shuffle(calls);
  for (auto& call : calls) end(*call);
}

// Receives that accept any message wait during collectives. They must not receive messages of these
// collectives.
void Soak::wildcards(Random& random) {
  const Comm comm = any(random);
  // In a communicator of one rank, such receives take messages of MPICH 4.0.2's own collectives.
  if (comm.size() == 1) return;
  const Word salt = random.next();
  const int tag = random.below(1000), count = 1 + random.below(3);
  std::vector<MPI_Request> requests(count, MPI_REQUEST_NULL);
  std::vector<Word> got(count);
  const bool member = comm.handle != MPI_COMM_NULL;
  for (int i = 0; member && i < count; ++i)
    MPI_Irecv(&got[i], sizeof(Word), MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, comm.handle,
              &requests[i]);
  for (int i = 0; i < 4; ++i) one(random.chance(70) ? comm : any(random), salt + i, Mode::blocking);
  if (!member) return;
  int rank;
  MPI_Comm_rank(comm.handle, &rank);
  for (int i = 0; i < count; ++i) {
    const Word value = mix(salt, 10 * rank + i);
    MPI_Send(&value, sizeof value, MPI_BYTE, (rank + 1) % comm.size(), tag + i, comm.handle);
  }
  for (int i = 0; i < count; ++i) {
    MPI_Status status;
    MPI_Wait(&requests[i], &status);
    fold(got[i]);
    fold(status.MPI_SOURCE);
    fold(status.MPI_TAG);
  }
  // No message is left. A neighbour that is ahead waits with its next one until we have looked.
  int more;
  PMPI_Barrier(comm.handle);
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm.handle, &more, MPI_STATUS_IGNORE);
  PMPI_Barrier(comm.handle);
  fold(more);
}

// Invalid arguments on all ranks; both MPIs check them before they send anything.
void Soak::wrong(const Comm& comm, Random& random) {
  if (comm.handle == MPI_COMM_NULL) return;
  int value[4] = {}, all[64], code, kind;
  switch (random.below(4)) {
    case 0:
      code = MPI_Bcast(value, 1, MPI_INT, comm.size(), comm.handle);
      break;
    case 1:
      code = MPI_Allgather(value, -1, MPI_INT, all, -1, MPI_INT, comm.handle);
      break;
    case 2:
      code = MPI_Allreduce(value, all, 1, MPI_DOUBLE, MPI_BXOR, comm.handle);
      break;
    default:
      code = MPI_Reduce(value, all, 1, MPI_INT, MPI_OP_NULL, 0, comm.handle);
  }
  MPI_Error_class(code, &kind);
  if (has("trace")) std::fprintf(stderr, "world %d error %d\n", me_, kind);
  fold(kind);
}

void Soak::add(MPI_Comm handle, std::vector<int> ranks, Random& random, std::vector<int> remote) {
  const bool has_attribute = random.chance(30), has_handler = random.chance(50);
  if (handle != MPI_COMM_NULL) {
    if (has_attribute) MPI_Comm_set_attr(handle, attribute, &seed_);
    if (has_handler && has("errors")) {
      MPI_Errhandler handler;
      MPI_Comm_create_errhandler(count_error, &handler);
      MPI_Comm_set_errhandler(handle, handler);
      MPI_Errhandler_free(&handler);
    }
  }
  comms_.push_back({handle, std::move(ranks), std::move(remote)});
}

void Soak::drop(int which) {
  if (comms_[which].handle != MPI_COMM_NULL) MPI_Comm_free(&comms_[which].handle);
  comms_.erase(comms_.begin() + which);
}

// Splits by colour and key; a rank without a colour joins no communicator.
void Soak::split(const Comm& parent, Random& random) {
  const int colors = 1 + random.below(3);
  const Word salt = random.next();
  const auto color = [&](int rank) { return static_cast<int>(mix(salt, rank) % (colors + 1)) - 1; };
  const auto key = [&](int rank) { return static_cast<int>(mix(salt, 99 + rank) % 3); };
  MPI_Comm mine = MPI_COMM_NULL;
  if (parent.handle != MPI_COMM_NULL) {
    const int own = color(me_);
    MPI_Comm_split(parent.handle, own < 0 ? MPI_UNDEFINED : own, key(me_), &mine);
  }
  for (int c = 0; c < colors; ++c) {
    std::vector<int> ranks;
    std::ranges::copy_if(parent.ranks, std::back_inserter(ranks),
                         [&](int rank) { return color(rank) == c; });
    std::ranges::stable_sort(ranks, {}, key);
    const bool in = mine != MPI_COMM_NULL && color(me_) == c;
    if (!ranks.empty()) add(in ? mine : MPI_COMM_NULL, std::move(ranks), random);
  }
}

void Soak::make(Random& random) {
  const Comm parent = any(random);
  const int p = parent.size(), tag = random.below(100);
  const bool member = parent.handle != MPI_COMM_NULL;
  // Some ranks of the parent, in any order.
  std::vector<int> order(p);
  std::iota(order.begin(), order.end(), 0);
  random.shuffle(order);
  order.resize(1 + random.below(p));
  std::vector<int> some;
  for (const int rank : order) some.push_back(parent.ranks[rank]);
  const bool among = std::ranges::count(some, me_) > 0;
  MPI_Group all = MPI_GROUP_NULL, group = MPI_GROUP_NULL;
  MPI_Comm made = MPI_COMM_NULL;
  if (member) {
    MPI_Comm_group(parent.handle, &all);
    MPI_Group_incl(all, static_cast<int>(order.size()), order.data(), &group);
  }

  switch (random.below(8)) {
    case 0:
      if (member) MPI_Comm_dup(parent.handle, &made);
      add(made, parent.ranks, random);
      break;
    case 1:
#ifndef OPEN_MPI  // Open MPI 4.1.4's MPI_Comm_create_group sometimes hangs, also bare
      if (among) MPI_Comm_create_group(parent.handle, group, tag, &made);
      add(made, some, random);
      break;
#endif
    case 2:
      if (member) MPI_Comm_create(parent.handle, group, &made);
      add(made, some, random);
      break;
    case 3: {
      int sizes[2] = {0, 0};
      const int periods[2] = {random.below(2), 1};
      MPI_Dims_create(p, 2, sizes);
      if (member) MPI_Cart_create(parent.handle, 2, sizes, periods, 0, &made);
      add(made, parent.ranks, random);
      break;
    }
    case 4:
      if (has("groups")) {
#if MPI_VERSION >= 4
        const std::string name = "soak" + std::to_string(random.next());
        if (among)
          MPI_Comm_create_from_group(group, name.c_str(), MPI_INFO_NULL, MPI_ERRORS_RETURN, &made);
        add(made, some, random);
        break;
#endif
      }
      [[fallthrough]];
    case 5:
      if (has("inter") && static_cast<int>(some.size()) < p) {
        std::vector<int> rest;
        std::ranges::copy_if(parent.ranks, std::back_inserter(rest),
                             [&](int rank) { return std::ranges::count(some, rank) == 0; });
        const bool merges = random.chance(50);
        MPI_Comm half, joined = MPI_COMM_NULL;
        if (member) {
          const auto place = [&](int rank) {
            return static_cast<int>(std::ranges::find(parent.ranks, rank) - parent.ranks.begin());
          };
          const auto& own = among ? some : rest;
          MPI_Comm_split(parent.handle, among,
                         static_cast<int>(std::ranges::find(own, me_) - own.begin()), &half);
          MPI_Intercomm_create(half, 0, parent.handle, place(among ? rest[0] : some[0]), tag,
                               &made);
          MPI_Comm_free(&half);
          if (merges) MPI_Intercomm_merge(made, !among, &joined);
        }
        add(made, some, random, rest);
        if (merges) {
          some.insert(some.end(), rest.begin(), rest.end());
          add(joined, some, random);
        }
        break;
      }
      [[fallthrough]];
    default:
      split(parent, random);
  }
  if (member) {
    MPI_Group_free(&group);
    MPI_Group_free(&all);
  }
}

void Soak::threads(Random& random) {
  const int count = 2 + random.below(3);
  std::vector<MPI_Comm> handles(count);
  std::vector<std::unique_ptr<Soak>> parts;
  for (MPI_Comm& handle : handles) {
    MPI_Comm_dup(world_.handle, &handle);
    parts.push_back(std::make_unique<Soak>(handle, random.next()));
  }
  {
    std::vector<std::jthread> running;
    for (auto& part : parts) running.emplace_back([&part] { part->collectives(8); });
  }
  for (int i = 0; i < count; ++i) {
    fold(parts[i]->digest());
    MPI_Comm_free(&handles[i]);
  }
}

// The calls that parents and children make together; then the children end.
Word family(MPI_Comm between, bool child, Word seed) {
  MPI_Comm together, half;
  MPI_Intercomm_merge(between, child, &together);
  Soak soak(together, seed);
  soak.collectives(10);
  int rank;
  MPI_Comm_rank(together, &rank);
  MPI_Comm_split(together, rank % 2, 0, &half);
  Soak part(half, seed + 1);
  part.collectives(5);
  MPI_Comm_free(&half);
  const Word digest = mix(soak.digest(), part.digest());
  Word all = 0;
  PMPI_Reduce(&digest, &all, 1, MPI_UINT64_T, MPI_BXOR, 0, together);
  MPI_Comm_free(&together);
  MPI_Comm_disconnect(&between);
  return mix(digest, all);
}

void Soak::spawn(Random& random) {
  const Word seed = random.next();
  std::string word = "child", number = std::to_string(seed);
  char* arguments[] = {word.data(), number.data(), nullptr};
  MPI_Comm children;
  MPI_Comm_spawn(program, arguments, 2, MPI_INFO_NULL, 0, world_.handle, &children,
                 MPI_ERRCODES_IGNORE);
  fold(family(children, false, seed));
}

void Soak::run(int steps) {
  const int spawns = steps / 2;
  for (int step = 0; step < steps; ++step) {
    Random random(mix(seed_, step));
    const int kind = random.below(100);
    // Not while a collective is open: both MPIs fail then, also bare.
    while (comms_.size() > 8) drop(random.below(static_cast<int>(comms_.size())));
    if (step == spawns && has("spawn")) {
      spawn(random);
    } else if (kind < 45) {
      one(any(random), random.next(), Mode::blocking);
    } else if (kind < 65) {
      in_flight(random);
    } else if (kind < 78) {
      make(random);
    } else if (kind < 83) {
      if (!comms_.empty()) drop(random.below(static_cast<int>(comms_.size())));
    } else if (kind < 90) {
      wildcards(random);
    } else if (kind < 94) {
      for (const Comm& comm : comms_)
        if (!comm.remote.empty()) between(comm, random);
    } else if (kind < 97) {
      if (has("errors")) {
        Comm comm = any(random);
        wrong(comm, random);
      }
    } else if (has("threads")) {
      threads(random);
    }
  }
  while (!comms_.empty()) drop(0);
}

long memory_in_use() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<long>(info.uordblks + info.hblkhd);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::puts("usage: soak SEED STEPS [passes=N] [threads|spawn|groups|inter|errors]...");
    return 2;
  }
  program = argv[0];
  int passes = 5;
  for (int i = 3; i < argc; ++i)
    if (std::strncmp(argv[i], "passes=", 7) == 0)
      passes = std::atoi(argv[i] + 7);
    else
      features.insert(argv[i]);
  int provided;
  MPI_Init_thread(&argc, &argv, has("threads") ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE,
                  &provided);
  if (provided < MPI_THREAD_MULTIPLE) features.erase("threads");
  MPI_Comm_create_keyval(copy_attribute, delete_attribute, &attribute, nullptr);
  MPI_Type_create_keyval(MPI_TYPE_DUP_FN, MPI_TYPE_NULL_DELETE_FN, &type_mark, nullptr);
  if (has("errors")) {
    MPI_Errhandler handler;
    MPI_Comm_create_errhandler(count_error, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_Errhandler_free(&handler);
  }
  MPI_Comm parent;
  MPI_Comm_get_parent(&parent);
  if (parent != MPI_COMM_NULL) {
    family(parent, true, std::strtoull(argv[2], nullptr, 10));
    MPI_Finalize();
    return 0;
  }

  int rank, p;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  const Word seed = std::strtoull(argv[1], nullptr, 10);
  Word digest = 0;
  std::vector<Word> memory(passes);
  for (Word& after : memory) {
    Soak soak(MPI_COMM_WORLD, seed);
    soak.run(std::atoi(argv[2]));
    digest = mix(digest, soak.digest());
    after = memory_in_use();
  }

  std::array<Word, 5> told{digest};
  const std::array<long, 4> counts{unknown_types, copies, deletes, errors};
  std::ranges::copy(counts, told.begin() + 1);
  std::vector<std::array<Word, 5>> all(p);
  std::vector<Word> memories(memory.size() * p);
  PMPI_Gather(told.data(), 5, MPI_UINT64_T, all.data(), 5, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  PMPI_Gather(memory.data(), passes, MPI_UINT64_T, memories.data(), passes, MPI_UINT64_T, 0,
              MPI_COMM_WORLD);
  for (int r = 0; rank == 0 && r < p; ++r) {
    const auto& [results, unknown, copied, deleted, wrong] = all[r];
    std::printf("rank %d digest %016lx unknown %lu copies %lu deletes %lu errors %lu\n", r, results,
                unknown, copied, deleted, wrong);
    std::printf("memory");
    for (int pass = 0; pass < passes; ++pass) std::printf(" %lu", memories[passes * r + pass]);
    std::printf("\n");
  }
  MPI_Finalize();
}
