// Programs that must not compile, one per CASE, each with a part of the expected error message.
// CASE 0 must compile. wrong.py tests all cases.

#include <list>
#include <string>
#include <toccata/toccata.hpp>
#include <vector>

void wrong(MPI_Comm comm, std::vector<double>& mine, std::vector<double>& all,
           std::vector<float>& other, std::list<double>& list, const std::vector<double>& constant,
           std::vector<std::string>& texts, std::vector<std::size_t>& sizes,
           std::vector<int>& counts, std::string& name);
void wrong([[maybe_unused]] MPI_Comm comm, [[maybe_unused]] std::vector<double>& mine,
           [[maybe_unused]] std::vector<double>& all, [[maybe_unused]] std::vector<float>& other,
           [[maybe_unused]] std::list<double>& list,
           [[maybe_unused]] const std::vector<double>& constant,
           [[maybe_unused]] std::vector<std::string>& texts,
           [[maybe_unused]] std::vector<std::size_t>& sizes,
           [[maybe_unused]] std::vector<int>& counts, [[maybe_unused]] std::string& name) {
#if CASE == 0
  toccata::allgather(constant, all, comm, "sparbit:messages=per_block");
  toccata::allgather(constant, all, comm, toccata::named(name));
  toccata::Request one = toccata::iallgather(std::span(mine), all, comm, "native");
  one.wait();
#elif CASE == 1   // unknown_algorithm__toccata_list_prints_the_names_for_this_collective
  toccata::allgather(mine, all, comm, "sparbt");
#elif CASE == 2   // unknown_algorithm__toccata_list_prints_the_names_for_this_collective
  toccata::bcast(all, 0, comm, "sparbit");
#elif CASE == 3   // toccata: the send and the receive buffer have different element types
  toccata::allgather(other, all, comm);
#elif CASE == 4   // toccata: a buffer must be contiguous
  toccata::allgather(mine, list, comm);
#elif CASE == 5   // toccata: the receive buffer is const
  toccata::allgather(mine, constant, comm);
#elif CASE == 6   // toccata: the element type has no MPI datatype
  toccata::bcast(texts, 0, comm);
#elif CASE == 7   // toccata: counts and displacements must have the element type int
  toccata::allgatherv(mine, all, sizes, sizes, comm);
#elif CASE == 8   // toccata: a temporary buffer or array of counts would be destroyed
  toccata::Request one = toccata::iallgather(std::vector<double>(4), all, comm);
#elif CASE == 9   // toccata: a temporary buffer or array of counts would be destroyed
  toccata::Request one = toccata::iallgatherv(mine, all, std::vector<int>(2), counts, comm, "ring");
#elif CASE == 10  // toccata: bitwise operations need integers or std::byte as elements
  toccata::allreduce(mine, all, std::bit_and<>(), comm);
#elif CASE == 11  // toccata: not an operation
  toccata::allreduce(mine, all, std::minus<>(), comm);
#elif CASE == 12  // ignoring return
  toccata::iallgather(mine, all, comm);
#elif CASE == 13  // non-constexpr|not a constant expression|no matching function
  toccata::allgather(mine, all, comm, name.c_str());
#elif CASE == 14  // deleted
  toccata::Request one = toccata::ibarrier(comm), copy = one;
#endif
}
