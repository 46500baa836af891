// The collectives among neighbours on every kind of topology: every algorithm, every kind of
// datatype, blocks of different sizes. The results are compared with native ones, unless a
// neighbour occurs several times. For such edges, MPI libraries use different orders, sometimes
// even between forms of one library. There, messages with tags define the correct order.

#include <map>

#include "support.h"

namespace toccata::test {
namespace {

// The edges of a rank, in the order of MPI. The tag distinguishes edges to, or from, the same peer.
struct Edge {
  int peer, tag;
};
using Edges = std::vector<Edge>;

struct Topology {
  std::string name;
  OwnedComm comm;
  Edges in = {}, out = {};
  bool repeats = false;  // a neighbour occurs twice, on any rank

  void count_repeats(bool is_mesh) {
    bool here = false;
    for (Edges* each : {&in, &out}) {
      std::map<int, int> times;
      for (std::size_t i = 0; i < each->size(); ++i) {
        Edge& edge = (*each)[i];
        const int earlier = times[edge.peer]++;
        here = here || (earlier > 0 && edge.peer != MPI_PROC_NULL);
        // The block sent to the negative neighbour arrives from the positive one.
        const int block = static_cast<int>(i);
        edge.tag = !is_mesh ? earlier : each == &in ? block ^ 1 : block;
      }
    }
    int repeats_here = here ? 1 : 0, anywhere = 0;
    MPI_Allreduce(&repeats_here, &anywhere, 1, MPI_INT, MPI_MAX, comm);
    repeats = anywhere != 0;
  }
};

Topology mesh(std::string name, MPI_Comm all, std::vector<int> dims, std::vector<int> periods) {
  const auto dimensions = static_cast<int>(dims.size());
  MPI_Dims_create(size_of(all), dimensions, dims.data());
  MPI_Comm made;
  MPI_Cart_create(all, dimensions, dims.data(), periods.data(), 0, &made);
  Topology result{std::move(name), OwnedComm(made)};
  for (int i = 0; i < dimensions; ++i) {
    int below, above;
    MPI_Cart_shift(made, i, 1, &below, &above);
    for (Edges* each : {&result.in, &result.out})
      each->insert(each->end(), {{below, 0}, {above, 0}});
  }
  result.count_repeats(true);
  return result;
}

Edges edges(const std::vector<int>& peers) {
  Edges result;
  for (const int each : peers) result.push_back({each, 0});
  return result;
}

Topology graph(std::string name, const std::vector<std::vector<int>>& neighbors) {
  std::vector<int> index, all;
  all.reserve(1);  // MPIs also check the addresses of empty arrays
  for (const auto& each : neighbors) {
    all.insert(all.end(), each.begin(), each.end());
    index.push_back(static_cast<int>(all.size()));
  }
  MPI_Comm made;
  MPI_Graph_create(MPI_COMM_WORLD, static_cast<int>(index.size()), index.data(), all.data(), 0,
                   &made);
  const Edges own = edges(neighbors[rank_in(made)]);
  Topology result{std::move(name), OwnedComm(made), own, own};
  result.count_repeats(false);
  return result;
}

// `destinations` lists the ones of every rank. Sources are the ranks that name this rank, the
// highest one first.
Topology distributed(std::string name, const std::vector<std::vector<int>>& destinations) {
  const int rank = rank_in(MPI_COMM_WORLD);
  std::vector<int> sources;
  sources.reserve(1);
  for (int each = static_cast<int>(destinations.size()) - 1; each >= 0; --each)
    for (const int to : destinations[each])
      if (to == rank) sources.push_back(each);
  std::vector<int> own = destinations[rank];
  own.reserve(1);
  const std::vector<int> ones(std::max(sources.size(), own.size()) + 1, 1);
  MPI_Comm made;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, static_cast<int>(sources.size()), sources.data(),
                                 ones.data(), static_cast<int>(own.size()), own.data(), ones.data(),
                                 MPI_INFO_NULL, 0, &made);
  Topology result{std::move(name), OwnedComm(made), edges(sources), edges(own)};
  result.count_repeats(false);
  return result;
}

// At most `most` edges out of each rank, the same on all ranks.
std::vector<std::vector<int>> random_destinations(int p, int most, int seed, bool again) {
  std::minstd_rand random(seed);
  random.discard(5);
  std::vector<std::vector<int>> result(p);
  for (auto& each : result)
    for (int i = static_cast<int>(random() % (most + 1)); i > 0; --i) {
      const int to = static_cast<int>(random() % p);
      if (again || std::ranges::find(each, to) == each.end()) each.push_back(to);
    }
  return result;
}

const std::vector<Topology>& topologies() {
  static std::vector<Topology>& all = *new std::vector<Topology>;  // MPI ends before statics do
  if (!all.empty()) return all;
  const int p = size_of(MPI_COMM_WORLD), rank = rank_in(MPI_COMM_WORLD);
  all.push_back(mesh("mesh", MPI_COMM_WORLD, {0, 0}, {0, 0}));
  all.push_back(mesh("torus", MPI_COMM_WORLD, {0, 0, 0}, {1, 1, 1}));
  all.push_back(mesh("half a torus", split(MPI_COMM_WORLD, rank % 2, -rank), {0, 0}, {1, 0}));
  std::vector<std::vector<int>> line(p), ring(p);
  for (int i = 0; i < p; ++i) {
    ring[i] = {i, (i + 1) % p, (i + p - 1) % p};
    if (i > 0) line[i].push_back(i - 1);
    if (i + 1 < p) line[i].push_back(i + 1);
  }
  all.push_back(graph("line", line));
  all.push_back(graph("ring", ring));
  all.push_back(distributed("sparse", random_destinations(p, 2, 1, false)));
  all.push_back(distributed("dense", random_destinations(p, p, 2, false)));
  all.push_back(distributed("repeated", random_destinations(p, 6, 3, true)));
  all.push_back(distributed("no rank", std::vector<std::vector<int>>(p)));
  return all;
}

// Elements of a datatype at an address.
struct Piece {
  void* address;
  int count;
  MPI_Datatype type;
};

// The result that MPI requires, message by message.
template <typename Out, typename In>
int exchange(const Topology& topology, Out&& out, In&& in) {
  std::vector<MPI_Request> requests;
  const auto add = [&](auto function, const Edge& edge, const Piece& piece) {
    return function(piece.address, piece.count, piece.type, edge.peer, edge.tag, topology.comm,
                    &requests.emplace_back());
  };
  for (std::size_t i = 0; i < topology.in.size(); ++i) add(PMPI_Irecv, topology.in[i], in(i));
  for (std::size_t i = 0; i < topology.out.size(); ++i) add(PMPI_Isend, topology.out[i], out(i));
  return PMPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
}

// How often an edge carries the elements of the types.
int times_of(int from, int to, int tag) { return (from + 2 * to + tag) % 3; }
int times_of(int from) { return 1 + from % 3; }

template <typename Times>
std::vector<int> counts_of(const Edges& edges, int elements, Times&& times) {
  std::vector<int> result;
  result.reserve(1);
  for (const Edge& each : edges)
    result.push_back(each.peer == MPI_PROC_NULL ? 1 : elements * times(each));
  return result;
}

// One call of each function; `function` selects MPI's or ours.
void expect_regular(const Topology& topology, const TypeCase& types, bool alltoall) {
  const int rank = rank_in(topology.comm);
  const auto out = static_cast<std::int64_t>(topology.out.size());
  const auto in = static_cast<std::int64_t>(topology.in.size());
  const Memory send(types.sendtype, types.sendcount * (alltoall ? out : 1), rank);
  const Memory recv(types.recvtype, types.recvcount * in, 1000 + rank);
  const auto call = [&](auto function, void* from, void* into, auto... algorithm) {
    return function(from, types.sendcount, types.sendtype, into, types.recvcount, types.recvtype,
                    topology.comm, algorithm...);
  };
  expect_like_native(
      alltoall ? neighbor_alltoall : neighbor_allgather, topology.comm, send, recv,
      [&](void* from, void* into) {
        if (!topology.repeats)
          return call(alltoall ? PMPI_Neighbor_alltoall : PMPI_Neighbor_allgather, from, into);
        const auto at = [](void* address, MPI_Datatype type, int count, std::size_t block) {
          return Piece{Memory::element(address, type, static_cast<std::int64_t>(block) * count),
                       count, type};
        };
        return exchange(
            topology,
            [&](std::size_t i) {
              return at(from, types.sendtype, types.sendcount, alltoall ? i : 0);
            },
            [&](std::size_t i) { return at(into, types.recvtype, types.recvcount, i); });
      },
      [&](void* from, void* into, const char* algorithm) {
        return call(alltoall ? toccata_neighbor_alltoall : toccata_neighbor_allgather, from, into,
                    algorithm);
      });
}

void expect_vector(const Topology& topology, const TypeCase& types, bool alltoall) {
  const int rank = rank_in(topology.comm);
  Irregular from(
      alltoall ? counts_of(topology.out, types.sendcount,
                           [&](const Edge& edge) { return times_of(rank, edge.peer, edge.tag); })
               : std::vector<int>{types.sendcount * times_of(rank)});
  Irregular into(counts_of(topology.in, types.recvcount, [&](const Edge& edge) {
    return alltoall ? times_of(edge.peer, rank, edge.tag) : times_of(edge.peer);
  }));
  for (Irregular* each : {&from, &into}) each->displacements.reserve(1);
  const Memory send(types.sendtype, from.elements, rank);
  const Memory recv(types.recvtype, into.elements, 1000 + rank);
  const auto alltoallv = [&](auto function, void* source, void* target, auto... algorithm) {
    return function(source, from.counts.data(), from.displacements.data(), types.sendtype, target,
                    into.counts.data(), into.displacements.data(), types.recvtype, topology.comm,
                    algorithm...);
  };
  const auto allgatherv = [&](auto function, void* source, void* target, auto... algorithm) {
    return function(Memory::element(source, types.sendtype, from.displacements[0]), from.counts[0],
                    types.sendtype, target, into.counts.data(), into.displacements.data(),
                    types.recvtype, topology.comm, algorithm...);
  };
  expect_like_native(
      alltoall ? neighbor_alltoallv : neighbor_allgatherv, topology.comm, send, recv,
      [&](void* source, void* target) {
        if (topology.repeats) {
          const auto at = [](void* address, MPI_Datatype type, const Irregular& side,
                             std::size_t block) {
            return Piece{Memory::element(address, type, side.displacements[block]),
                         side.counts[block], type};
          };
          return exchange(
              topology,
              [&](std::size_t i) { return at(source, types.sendtype, from, alltoall ? i : 0); },
              [&](std::size_t i) { return at(target, types.recvtype, into, i); });
        }
        return alltoall ? alltoallv(PMPI_Neighbor_alltoallv, source, target)
                        : allgatherv(PMPI_Neighbor_allgatherv, source, target);
      },
      [&](void* source, void* target, const char* algorithm) {
        return alltoall ? alltoallv(toccata_neighbor_alltoallv, source, target, algorithm)
                        : allgatherv(toccata_neighbor_allgatherv, source, target, algorithm);
      });
}

TEST(Neighbors, EveryTopology) {
  const TypeCase integers{"integers", 3, MPI_INT, 3, MPI_INT};
  for (const Topology& each : topologies())
    for (const bool alltoall : {false, true}) {
      SCOPED_TRACE(each.name + (alltoall ? ", all-to-all" : ", allgather"));
      expect_regular(each, integers, alltoall);
      expect_vector(each, integers, alltoall);
    }
}

TEST(Neighbors, EveryDatatype) {
  for (const TypeCase& types : TypeCases::for_this_job())
    for (const Topology& each : topologies())
      for (const bool alltoall : {false, true}) {
        if (each.name != "torus" && each.name != "dense") continue;
        SCOPED_TRACE(types.name + " on " + each.name + (alltoall ? ", all-to-all" : ""));
        expect_regular(each, types, alltoall);
        expect_vector(each, types, alltoall);
      }
}

// Blocks too long to travel together with their sizes, and blocks too long to be packed.
TEST(Neighbors, LongBlocks) {
  for (const int count : {2000, 30000}) {
    const TypeCase integers{"integers", count, MPI_INT, count, MPI_INT};
    for (const Topology& each : topologies())
      for (const bool alltoall : {false, true}) {
        SCOPED_TRACE(std::to_string(count) + " integers, " + each.name);
        expect_regular(each, integers, alltoall);
        expect_vector(each, integers, alltoall);
      }
  }
}

// Blocks with their own datatypes, contiguous in bytes.
struct Mixed {
  void add(MPI_Datatype type, int count) {
    MPI_Aint lower, extent, true_lower, true_extent;
    MPI_Type_get_extent(type, &lower, &extent);
    MPI_Type_get_true_extent(type, &true_lower, &true_extent);
    types.push_back(type);
    counts.push_back(count);
    displacements.push_back(bytes - std::min<MPI_Aint>(true_lower, 0) + 8);
    bytes = displacements.back() + count * extent + true_lower + true_extent;
  }
  void make_room() {
    types.reserve(1);
    counts.reserve(1);
    displacements.reserve(1);
  }
  Piece at(void* base, std::size_t i) const {
    return {static_cast<char*>(base) + displacements[i], counts[i], types[i]};
  }

  std::vector<MPI_Datatype> types;
  std::vector<int> counts;
  std::vector<MPI_Aint> displacements;
  MPI_Aint bytes = 0;
};

TEST(Neighbors, EveryEdgeItsOwnDatatypes) {
  const TypeCases all;
  const std::vector<TypeCase> cases(all.begin(), all.end());
  for (const Topology& topology : topologies()) {
    SCOPED_TRACE(topology.name);
    const int rank = rank_in(topology.comm);
    const auto types_of = [&](int from, int to, int tag) -> const TypeCase& {
      return cases[static_cast<std::size_t>(5 * from + 2 * to + tag) % cases.size()];
    };
    Mixed from, into;
    for (Mixed* each : {&from, &into}) each->make_room();
    for (const Edge& each : topology.out) {
      const TypeCase& its = types_of(rank, std::max(each.peer, 0), each.tag);
      from.add(its.sendtype, its.sendcount);
    }
    for (const Edge& each : topology.in) {
      const TypeCase& its = types_of(std::max(each.peer, 0), rank, each.tag);
      into.add(its.recvtype, its.recvcount);
    }
    const Memory send(MPI_BYTE, from.bytes, rank);
    const Memory recv(MPI_BYTE, into.bytes, 1000 + rank);
    const auto call = [&](auto function, void* source, void* target, auto... algorithm) {
      return function(source, from.counts.data(), from.displacements.data(), from.types.data(),
                      target, into.counts.data(), into.displacements.data(), into.types.data(),
                      topology.comm, algorithm...);
    };
    expect_like_native(
        neighbor_alltoallv, topology.comm, send, recv,
        [&](void* source, void* target) {
#ifdef OPEN_MPI  // MPICH 4.0 gives another result than its messages
          if (!topology.repeats) return call(PMPI_Neighbor_alltoallw, source, target);
#endif
          return exchange(
              topology, [&](std::size_t i) { return from.at(source, i); },
              [&](std::size_t i) { return into.at(target, i); });
        },
        [&](void* source, void* target, const char* algorithm) {
          return call(toccata_neighbor_alltoallw, source, target, algorithm);
        });
  }
}

// All forms of one call, several of them open at once. `value` returns the data that a rank sends
// to its i-th neighbour in call c; in an allgather, i is 0.
class Call {
 public:
  Call(const Topology& topology, int number) : topology_(topology), number_(number) {
    for (std::size_t i = 0; i < topology.out.size() + 1; ++i)
      sent_.push_back(value(rank_in(topology.comm),
                            topology.out.size() > i ? topology.out[i].peer : 0,
                            topology.out.size() > i ? topology.out[i].tag : 0));
    one_ = 1000 * number + rank_in(topology.comm);
    received_.assign(topology.in.size() + 1, -1);
  }

  template <typename... More>
  int alltoall(auto function, More... more) {
    std::ranges::fill(received_, -1);
    return function(sent_.data(), 1, MPI_INT, received_.data(), 1, MPI_INT, topology_.comm,
                    more...);
  }
  template <typename... More>
  int allgather(auto function, More... more) {
    std::ranges::fill(received_, -1);
    return function(&one_, 1, MPI_INT, received_.data(), 1, MPI_INT, topology_.comm, more...);
  }
  void spoil() { std::ranges::fill(received_, -1); }
  void expect_right(bool alltoall, const std::string& what) const {
    for (std::size_t i = 0; i < topology_.in.size(); ++i) {
      const Edge& edge = topology_.in[i];
      const int expected = edge.peer == MPI_PROC_NULL ? -1
                           : alltoall ? value(edge.peer, rank_in(topology_.comm), edge.tag)
                                      : 1000 * number_ + edge.peer;
      EXPECT_EQ(received_[i], expected) << what << " on " << topology_.name << ", block " << i;
    }
  }

 private:
  int value(int from, int to, int tag) const {
    return 100000 * number_ + 1000 * from + 10 * to + tag;
  }

  const Topology& topology_;
  int number_;
  std::vector<int> sent_, received_;
  int one_ = 0;
};

std::vector<std::string> choices_and_native(const Collective& collective,
                                            const Topology& topology) {
  std::vector<std::string> result = choices(collective, topology.comm, one_travel);
  if (!topology.repeats) result.emplace_back("native");  // its order may differ
  return result;
}

TEST(Neighbors, Nonblocking) {
  for (const Topology& topology : topologies())
    for (const bool alltoall : {false, true}) {
      const Collective& collective = alltoall ? neighbor_alltoall : neighbor_allgather;
      const auto all = choices_and_native(collective, topology);
      const auto n = static_cast<int>(all.size());
      std::vector<Call> calls;
      for (int i = 0; i < n; ++i) calls.emplace_back(topology, i + 1);
      std::vector<toccata_request> requests(n);
      for (int i = 0; i < n; ++i)
        EXPECT_EQ(
            alltoall
                ? calls[i].alltoall(toccata_ineighbor_alltoall, all[i].c_str(), &requests[i])
                : calls[i].allgather(toccata_ineighbor_allgather, all[i].c_str(), &requests[i]),
            MPI_SUCCESS);
      EXPECT_EQ(toccata_waitall(n, requests.data()), MPI_SUCCESS);
      for (int i = 0; i < n; ++i) calls[i].expect_right(alltoall, all[i]);
    }
}

TEST(Neighbors, Persistent) {
  for (const Topology& topology : topologies())
    for (const bool alltoall : {false, true})
      for (const std::string& choice :
           choices_and_native(alltoall ? neighbor_alltoall : neighbor_allgather, topology)) {
        Call call(topology, 7);
        toccata_request request;
        EXPECT_EQ(alltoall ? call.alltoall(toccata_neighbor_alltoall_init, MPI_INFO_NULL,
                                           choice.c_str(), &request)
                           : call.allgather(toccata_neighbor_allgather_init, MPI_INFO_NULL,
                                            choice.c_str(), &request),
                  MPI_SUCCESS);
        for (int start = 0; start < 3; ++start) {
          call.spoil();
          if (start == 2) {
            EXPECT_EQ(toccata_run(&request), MPI_SUCCESS);
          } else {
            EXPECT_EQ(toccata_start(&request), MPI_SUCCESS);
            EXPECT_EQ(toccata_wait(&request), MPI_SUCCESS);
          }
          call.expect_right(alltoall, choice);
        }
        EXPECT_EQ(toccata_request_free(&request), MPI_SUCCESS);
      }
}

TEST(Neighbors, NativeAndErrors) {
  const Topology& torus = topologies()[1];
  Call call(torus, 1);
  EXPECT_EQ(call.allgather(toccata_neighbor_allgather, "native"), MPI_SUCCESS);
  call.expect_right(false, "native");
  EXPECT_EQ(call.allgather(toccata_neighbor_allgather, nullptr), MPI_SUCCESS);
  call.expect_right(false, "null");

  const OwnedComm plain = duplicate(MPI_COMM_WORLD);
  MPI_Comm_set_errhandler(plain, MPI_ERRORS_RETURN);
  int one = 1, many[8] = {};
  for (const char* algorithm : {"direct", "combining", "ring"})
    EXPECT_EQ(error_class(
                  toccata_neighbor_allgather(&one, 1, MPI_INT, many, 1, MPI_INT, plain, algorithm)),
              MPI_ERR_ARG)
        << algorithm;

  MPI_Comm_set_errhandler(torus.comm, MPI_ERRORS_RETURN);
  for (const char* algorithm : {"direct", "combining"}) {
    EXPECT_EQ(error_class(toccata_neighbor_allgather(MPI_IN_PLACE, 1, MPI_INT, many, 1, MPI_INT,
                                                     torus.comm, algorithm)),
              MPI_ERR_ARG);
    EXPECT_EQ(error_class(toccata_neighbor_alltoall(many, -1, MPI_INT, many, 1, MPI_INT, torus.comm,
                                                    algorithm)),
              MPI_ERR_COUNT);
  }
  MPI_Comm_set_errhandler(torus.comm, MPI_ERRORS_ARE_FATAL);
}

}  // namespace
}  // namespace toccata::test
