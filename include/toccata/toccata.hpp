// Toccata: topology-aware MPI collectives. The C++ interface, a thin layer over toccata.h; C++20.
//
//   const toccata::Communicator comm(MPI_COMM_WORLD);
//   std::vector<double> mine(4), sums(4), all(4 * comm.size());
//   toccata::allgather(mine, all, comm, "sparbit");
//   toccata::Request request = toccata::iallreduce(mine, sums, std::plus<>(), comm);
//   request.wait();
//
// Each collective of toccata.h, except toccata_sparse_alltoallv, has three forms: allgather is
// blocking, iallgather returns a Request, and allgather_init returns a persistent Request.
//
// Buffers are contiguous ranges: std::vector, std::array, std::span, or a C array. Their element
// type selects the MPI datatype. Specialise toccata::Datatype for your own types. Sizes are counted
// in elements, and the length of each buffer is checked. toccata::in_place replaces the send
// buffer, as MPI_IN_PLACE does; in scatter and scatterv, it replaces the root's receive buffer.
// toccata::ignored replaces a buffer that only the root uses.
//
// Algorithms are the names that `toccata list` prints. A name in the source is checked when the
// program is compiled. Use toccata::named(text) for a name that is known only at run time. Without
// a name, the environment or the library chooses, as with NULL in toccata.h.
//
// Errors: if an argument fails a check of this header, the function throws toccata::Error. Other
// errors call the communicator's error handler first. If it returns, as MPI_ERRORS_RETURN does, the
// function throws. MPI's default handler, MPI_ERRORS_ARE_FATAL, ends the program instead.
//
// Reductions take std::plus, std::multiplies, std::bit_and, std::bit_or, std::bit_xor,
// std::logical_and, std::logical_or, toccata::minimum, toccata::maximum, or any MPI_Op.
//
// Buffers and arrays of counts must exist until a request has completed or, if it is persistent, is
// freed. The compiler rejects temporary containers. Large counts: a block of more than 2^31 - 1
// elements throws toccata::Error; use the functions of toccata/large.h for such blocks.
#ifndef TOCCATA_HPP
#define TOCCATA_HPP

// MPI 3 removed MPI's own C++ interface. Old headers of it would need another library.
#ifndef OMPI_SKIP_MPICXX
#define OMPI_SKIP_MPICXX 1
#endif
#ifndef MPICH_SKIP_MPICXX
#define MPICH_SKIP_MPICXX 1
#endif

#include <complex>
#include <concepts>
#include <cstddef>
#include <functional>
#include <limits>
#include <ranges>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "toccata/algorithms.hpp"
#include "toccata/toccata.h"

namespace toccata {

/// An error of MPI or of Toccata: code() is the MPI error code, what() the text of
/// the error.
class Error : public std::runtime_error {
 public:
  explicit Error(int code) : std::runtime_error(text_of(code)), code_(code) {}
  Error(int code, const std::string& text) : std::runtime_error(text), code_(code) {}
  int code() const noexcept { return code_; }

 private:
  static std::string text_of(int code) {
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    MPI_Error_string(code, text, &length);
    return std::string(text, static_cast<std::size_t>(length));
  }
  int code_;
};

/// The MPI datatype of T, which Datatype<T>::get() returns. Specialise it for your own types with a
/// committed datatype.
template <typename T>
struct Datatype;

/// Replaces the send buffer, as MPI_IN_PLACE does; in scatter and scatterv, it replaces the root's
/// receive buffer.
struct InPlace {};
inline constexpr InPlace in_place{};

/// On all ranks except the root, replaces a buffer that only the root uses.
struct Ignored {};
inline constexpr Ignored ignored{};

/// The smaller and the larger of two values: MPI_MIN and MPI_MAX.
struct Minimum {};
inline constexpr Minimum minimum{};
struct Maximum {};
inline constexpr Maximum maximum{};

namespace detail {

inline void check(int code) {
  if (code != MPI_SUCCESS) [[unlikely]]
    throw Error(code);
}

[[noreturn]] inline void fail(int error_class, const std::string& text) {
  throw Error(error_class, "toccata: " + text);
}

#define TOCCATA_HPP_DATATYPE(Type, datatype)                \
  }                                                         \
  template <>                                               \
  struct Datatype<Type> {                                   \
    static MPI_Datatype get() noexcept { return datatype; } \
  };                                                        \
  namespace detail {
TOCCATA_HPP_DATATYPE(char, MPI_CHAR)
TOCCATA_HPP_DATATYPE(signed char, MPI_SIGNED_CHAR)
TOCCATA_HPP_DATATYPE(unsigned char, MPI_UNSIGNED_CHAR)
TOCCATA_HPP_DATATYPE(wchar_t, MPI_WCHAR)
TOCCATA_HPP_DATATYPE(short, MPI_SHORT)
TOCCATA_HPP_DATATYPE(unsigned short, MPI_UNSIGNED_SHORT)
TOCCATA_HPP_DATATYPE(int, MPI_INT)
TOCCATA_HPP_DATATYPE(unsigned, MPI_UNSIGNED)
TOCCATA_HPP_DATATYPE(long, MPI_LONG)
TOCCATA_HPP_DATATYPE(unsigned long, MPI_UNSIGNED_LONG)
TOCCATA_HPP_DATATYPE(long long, MPI_LONG_LONG)
TOCCATA_HPP_DATATYPE(unsigned long long, MPI_UNSIGNED_LONG_LONG)
TOCCATA_HPP_DATATYPE(float, MPI_FLOAT)
TOCCATA_HPP_DATATYPE(double, MPI_DOUBLE)
TOCCATA_HPP_DATATYPE(long double, MPI_LONG_DOUBLE)
TOCCATA_HPP_DATATYPE(bool, MPI_C_BOOL)
TOCCATA_HPP_DATATYPE(std::byte, MPI_BYTE)
TOCCATA_HPP_DATATYPE(std::complex<float>, MPI_C_FLOAT_COMPLEX)
TOCCATA_HPP_DATATYPE(std::complex<double>, MPI_C_DOUBLE_COMPLEX)
TOCCATA_HPP_DATATYPE(std::complex<long double>, MPI_C_LONG_DOUBLE_COMPLEX)
#undef TOCCATA_HPP_DATATYPE

template <typename T>
concept HasDatatype = requires {
  { Datatype<T>::get() } -> std::convertible_to<MPI_Datatype>;
};

template <typename T>
inline constexpr bool is_complex = false;
template <typename T>
inline constexpr bool is_complex<std::complex<T>> = true;

// Not constexpr: the error message of the compiler contains the name of the function that it cannot
// call.
inline void unknown_algorithm__toccata_list_prints_the_names_for_this_collective() {}

// The name without parameters, such as "sparbit" of "sparbit:messages=per_block".
constexpr bool is_algorithm(std::string_view text, std::span<const std::string_view> names) {
  if (text.starts_with("file:")) return true;
  const std::string_view name = text.substr(0, text.find(':'));
  if (name == "native") return true;
  for (const std::string_view each : names)
    if (name == each) return true;
  return false;
}

}  // namespace detail

/// A name that is known only at run time; NULL leaves the choice to the library.
struct Named {
  const char* text;
};
inline Named named(const char* text) noexcept { return {text}; }
inline Named named(const std::string& text) noexcept { return {text.c_str()}; }

/// The name of an algorithm for one collective.
template <typename Names>
class Algorithm {
 public:
  constexpr Algorithm() noexcept = default;
  constexpr Algorithm(std::nullptr_t) noexcept {}
  constexpr Algorithm(Named name) noexcept : text_(name.text) {}
  template <std::size_t length>
  consteval Algorithm(const char (&text)[length]) : text_(text) {
    if (!detail::is_algorithm(std::string_view(text, length - 1), Names::all))
      detail::unknown_algorithm__toccata_list_prints_the_names_for_this_collective();
  }
  constexpr const char* text() const noexcept { return text_; }

 private:
  const char* text_ = nullptr;
};

/// An intracommunicator with its size and this process's rank. It does not own the MPI_Comm. Every
/// function also accepts an MPI_Comm, but then queries MPI for these numbers in each call.
class Communicator {
 public:
  Communicator(MPI_Comm comm) : comm_(comm) {
    if (comm == MPI_COMM_NULL) detail::fail(MPI_ERR_COMM, "the communicator is MPI_COMM_NULL");
    int between_groups = 0, topology = MPI_UNDEFINED;
    detail::check(MPI_Comm_test_inter(comm, &between_groups));
    if (between_groups != 0)
      detail::fail(MPI_ERR_COMM,
                   "toccata.hpp does not support intercommunicators; call MPI instead");
    detail::check(MPI_Comm_size(comm, &size_));
    detail::check(MPI_Comm_rank(comm, &rank_));
    detail::check(MPI_Topo_test(comm, &topology));
    if (topology == MPI_CART) {
      detail::check(MPI_Cartdim_get(comm, &sources_));
      destinations_ = sources_ *= 2;
    } else if (topology == MPI_GRAPH) {
      detail::check(MPI_Graph_neighbors_count(comm, rank_, &sources_));
      destinations_ = sources_;
    } else if (topology == MPI_DIST_GRAPH) {
      int weighted;
      detail::check(MPI_Dist_graph_neighbors_count(comm, &sources_, &destinations_, &weighted));
    }
  }
  MPI_Comm handle() const noexcept { return comm_; }
  std::size_t size() const noexcept { return static_cast<std::size_t>(size_); }
  int rank() const noexcept { return rank_; }
  /// The numbers of incoming and outgoing edges of the topology; 0 without one.
  std::size_t sources() const noexcept { return static_cast<std::size_t>(sources_); }
  std::size_t destinations() const noexcept { return static_cast<std::size_t>(destinations_); }

 private:
  MPI_Comm comm_;
  int size_ = 0, rank_ = 0, sources_ = 0, destinations_ = 0;
};

/// A nonblocking or persistent collective. The destructor of an active request waits for it and
/// drops its error code.
class [[nodiscard]] Request {
 public:
  Request() noexcept = default;
  explicit Request(toccata_request handle) noexcept : handle_(handle) {}
  Request(Request&& other) noexcept : handle_(std::exchange(other.handle_, TOCCATA_REQUEST_NULL)) {}
  Request& operator=(Request&& other) noexcept {
    if (this != &other) {
      release();
      handle_ = std::exchange(other.handle_, TOCCATA_REQUEST_NULL);
    }
    return *this;
  }
  ~Request() { release(); }

  /// Waits until the request has completed.
  void wait() { detail::check(toccata_wait(&handle_)); }
  /// Whether the request has completed.
  bool test() {
    int flag = 0;
    detail::check(toccata_test(&handle_, &flag));
    return flag != 0;
  }
  /// Starts a persistent request.
  void start() { detail::check(toccata_start(&handle_)); }
  /// Starts a persistent request and waits for it.
  void run() { detail::check(toccata_run(&handle_)); }
  /// Frees an inactive persistent request.
  void free() { detail::check(toccata_request_free(&handle_)); }
  /// Whether there is a request: a nonblocking one that has not completed, or a persistent one.
  explicit operator bool() const noexcept { return handle_ != TOCCATA_REQUEST_NULL; }
  toccata_request* handle() noexcept { return &handle_; }

 private:
  void release() noexcept {
    if (handle_ == TOCCATA_REQUEST_NULL) return;
    toccata_wait(&handle_);
    if (handle_ != TOCCATA_REQUEST_NULL) toccata_request_free(&handle_);
  }
  toccata_request handle_ = TOCCATA_REQUEST_NULL;
};
static_assert(sizeof(Request) == sizeof(toccata_request));

/// The version of the running library.
inline std::string_view version() { return toccata_version(); }

namespace detail {
inline toccata_request* handles(std::span<Request> requests) {
  return requests.empty() ? nullptr : requests.front().handle();
}
inline int count(std::size_t elements) {
  if (elements > static_cast<std::size_t>(std::numeric_limits<int>::max())) [[unlikely]]
    fail(MPI_ERR_COUNT, std::to_string(elements) +
                            " elements exceed the range of int; use a function of "
                            "toccata/large.h");
  return static_cast<int>(elements);
}
}  // namespace detail

/// Waits for all requests.
inline void wait_all(std::span<Request> requests) {
  detail::check(toccata_waitall(detail::count(requests.size()), detail::handles(requests)));
}
/// Waits for all requests and writes the error code of each.
inline void wait_all(std::span<Request> requests, std::span<int> codes) {
  if (codes.size() != requests.size())
    detail::fail(MPI_ERR_ARG, "wait_all needs one code per request");
  detail::check(toccata_waitall_codes(detail::count(requests.size()), detail::handles(requests),
                                      codes.data()));
}
/// Whether all requests have completed. If not, none of them changes.
inline bool test_all(std::span<Request> requests) {
  int flag = 0;
  detail::check(
      toccata_testall(detail::count(requests.size()), detail::handles(requests), &flag, nullptr));
  return flag != 0;
}
/// Waits for one active request and returns its index; MPI_UNDEFINED if none is active.
inline int wait_any(std::span<Request> requests) {
  int index = MPI_UNDEFINED;
  detail::check(toccata_waitany(detail::count(requests.size()), detail::handles(requests), &index));
  return index;
}
/// The index of an active request that has completed; MPI_UNDEFINED if none has.
inline int test_any(std::span<Request> requests) {
  int index = MPI_UNDEFINED, flag = 0;
  detail::check(
      toccata_testany(detail::count(requests.size()), detail::handles(requests), &index, &flag));
  return index;
}

/// A communicator with its ranks reordered for a pattern, as in toccata_comm_reorder.
/// The caller frees it with MPI_Comm_free.
inline MPI_Comm reordered(MPI_Comm comm, const char* pattern, MPI_Info info = MPI_INFO_NULL) {
  MPI_Comm result = MPI_COMM_NULL;
  detail::check(toccata_comm_reorder(comm, pattern, info, &result));
  return result;
}
/// Sets keys of a communicator, as in toccata_comm_set_info.
inline void set_info(MPI_Comm comm, MPI_Info info) {
  detail::check(toccata_comm_set_info(comm, info));
}

namespace detail {

enum class Form { blocking, nonblocking, persistent };

template <typename Buffer>
using Plain = std::remove_cvref_t<Buffer>;

// The requirements on parameters. If one is not met, the compiler prints its sentence.
template <typename Buffer>
consteval void must_be_buffer() {
  static_assert(std::ranges::contiguous_range<Buffer> && std::ranges::sized_range<Buffer>,
                "toccata: a buffer must be contiguous, such as std::vector, std::array, std::span "
                "or a C array; vector<bool>, list and deque are not");
  if constexpr (std::ranges::contiguous_range<Buffer>)
    static_assert(HasDatatype<std::remove_cv_t<std::ranges::range_value_t<Buffer>>>,
                  "toccata: the element type has no MPI datatype; specialise toccata::Datatype "
                  "for it");
}
template <Form form, typename Buffer>
consteval void must_stay() {
  static_assert(form == Form::blocking || std::is_lvalue_reference_v<Buffer> ||
                    std::ranges::borrowed_range<Buffer>,
                "toccata: a temporary buffer or array of counts would be destroyed before the "
                "request ends; store it in a variable");
}
template <typename Buffer>
consteval void must_be_writable() {
  if constexpr (std::ranges::contiguous_range<Buffer>)
    static_assert(!std::is_const_v<std::remove_reference_t<std::ranges::range_reference_t<Buffer>>>,
                  "toccata: the receive buffer is const");
}

// The arguments of MPI for a buffer.
template <typename Pointer>
struct Memory {
  Pointer address;
  std::size_t size;
  MPI_Datatype type;
};

template <typename Send>
inline constexpr bool is_in_place = std::is_same_v<Plain<Send>, InPlace>;
template <typename Send>
inline constexpr bool is_ignored = std::is_same_v<Plain<Send>, Ignored>;

template <typename Buffer>
struct ElementOf {
  using type = int;  // not a buffer: must_be_buffer has reported it
};
template <std::ranges::range Buffer>
struct ElementOf<Buffer> {
  using type = std::remove_cv_t<std::ranges::range_value_t<Buffer>>;
};
template <typename Buffer>
using Element = typename ElementOf<Buffer>::type;

template <Form form, typename Send>
Memory<const void*> source(std::remove_reference_t<Send>& send) {
  if constexpr (is_in_place<Send>) {
    return {MPI_IN_PLACE, 0, MPI_BYTE};
  } else if constexpr (is_ignored<Send>) {
    return {nullptr, 0, MPI_BYTE};
  } else {
    must_be_buffer<Send>();
    must_stay<form, Send>();
    if constexpr (std::ranges::contiguous_range<Send> && HasDatatype<Element<Send>>)
      return {std::ranges::data(send), std::ranges::size(send), Datatype<Element<Send>>::get()};
    else
      return {};
  }
}
template <Form form, typename Recv>
Memory<void*> target(std::remove_reference_t<Recv>& recv) {
  if constexpr (is_ignored<Recv>) {
    return {nullptr, 0, MPI_BYTE};
  } else {
    must_be_buffer<Recv>();
    must_be_writable<Recv>();
    must_stay<form, Recv>();
    if constexpr (std::ranges::contiguous_range<Recv> && HasDatatype<Element<Recv>> &&
                  !std::is_const_v<std::remove_reference_t<std::ranges::range_reference_t<Recv>>>)
      return {std::ranges::data(recv), std::ranges::size(recv), Datatype<Element<Recv>>::get()};
    else
      return {};
  }
}
template <typename Send, typename Recv>
consteval void must_match() {
  if constexpr (std::ranges::contiguous_range<Send> && std::ranges::contiguous_range<Recv>)
    static_assert(std::is_same_v<Element<Send>, Element<Recv>>,
                  "toccata: the send and the receive buffer have different element types");
}

// An array of counts or displacements, which must hold int.
template <Form form, typename Counts>
const int* integers(std::remove_reference_t<Counts>& counts, std::size_t expected,
                    const char* what) {
  must_stay<form, Counts>();
  static_assert(std::ranges::contiguous_range<Counts>,
                "toccata: counts and displacements must be a contiguous range of int");
  if constexpr (std::ranges::contiguous_range<Counts>) {
    static_assert(std::is_same_v<Element<Counts>, int>,
                  "toccata: counts and displacements must have the element type int");
    if (std::ranges::size(counts) != expected) [[unlikely]]
      fail(MPI_ERR_COUNT, std::string(what) + " has " + std::to_string(std::ranges::size(counts)) +
                              " elements; expected " + std::to_string(expected));
    if constexpr (std::is_same_v<Element<Counts>, int>) return std::ranges::data(counts);
  }
  return nullptr;
}

inline void expect(bool right, std::size_t size, const char* buffer, std::size_t expected) {
  if (!right) [[unlikely]]
    fail(MPI_ERR_COUNT, std::string("the ") + buffer + " buffer has " + std::to_string(size) +
                            " elements; expected " + std::to_string(expected));
}
inline void expect_size(std::size_t size, const char* buffer, std::size_t expected) {
  expect(size == expected, size, buffer, expected);
}
// Elements of each block, if a buffer consists of `blocks`.
inline int share(std::size_t size, std::size_t blocks, const char* buffer) {
  if (blocks == 0) return 0;
  const std::size_t each = size / blocks;
  expect(each * blocks == size, size, buffer, (each + 1) * blocks);
  return count(each);
}
// Checks that each block lies in its buffer.
inline void expect_inside(const int* counts, const int* places, std::size_t blocks,
                          std::size_t size, const char* buffer) {
  std::size_t end = 0;
  for (std::size_t i = 0; i < blocks; ++i) {
    if (counts[i] == 0) continue;
    const std::size_t place = places == nullptr ? end : static_cast<std::size_t>(places[i]);
    const std::size_t after = place + static_cast<std::size_t>(counts[i]);
    if (counts[i] < 0 || (places != nullptr && places[i] < 0) || after > size) [[unlikely]]
      fail(MPI_ERR_COUNT, "block " + std::to_string(i) + " does not lie in the " + buffer +
                              " buffer of " + std::to_string(size) + " elements");
    if (places == nullptr) end = after;
  }
}
inline bool is_root(int root, const Communicator& comm) {
  if (root < 0 || static_cast<std::size_t>(root) >= comm.size()) [[unlikely]]
    fail(MPI_ERR_ROOT, "root " + std::to_string(root) + " is not a rank; expected 0 to " +
                           std::to_string(comm.size() - 1));
  return root == comm.rank();
}

template <typename T, typename Operation>
MPI_Op operation(const Operation& asked) {
  if constexpr (std::is_same_v<Operation, MPI_Op>) {
    return asked;
  } else {
    constexpr bool is_whole = std::is_integral_v<T> && !std::is_same_v<T, bool>;
    constexpr bool is_number = is_whole || std::is_floating_point_v<T>;
    constexpr bool is_bits = is_whole || std::is_same_v<T, std::byte>;
    const auto is = []<template <typename> typename Functor>() {
      return std::is_same_v<Operation, Functor<void>> || std::is_same_v<Operation, Functor<T>>;
    };
    if constexpr (is.template operator()<std::plus>() ||
                  is.template operator()<std::multiplies>()) {
      static_assert(is_number || is_complex<T>,
                    "toccata: sums and products need numbers as elements; for your own type, "
                    "make an MPI_Op");
      return is.template operator()<std::plus>() ? MPI_SUM : MPI_PROD;
    } else if constexpr (std::is_same_v<Operation, Minimum> || std::is_same_v<Operation, Maximum>) {
      static_assert(is_number,
                    "toccata: minimum and maximum need real numbers as elements; for your own "
                    "type, make an MPI_Op");
      return std::is_same_v<Operation, Minimum> ? MPI_MIN : MPI_MAX;
    } else if constexpr (is.template operator()<std::bit_and>() ||
                         is.template operator()<std::bit_or>() ||
                         is.template operator()<std::bit_xor>()) {
      static_assert(is_bits, "toccata: bitwise operations need integers or std::byte as elements");
      return is.template operator()<std::bit_and>()  ? MPI_BAND
             : is.template operator()<std::bit_or>() ? MPI_BOR
                                                     : MPI_BXOR;
    } else if constexpr (is.template operator()<std::logical_and>() ||
                         is.template operator()<std::logical_or>()) {
      static_assert(is_whole || std::is_same_v<T, bool>,
                    "toccata: logical operations need integers or bool as elements");
      return is.template operator()<std::logical_and>() ? MPI_LAND : MPI_LOR;
    } else {
      static_assert(is_in_place<Operation>,
                    "toccata: not an operation; use std::plus<>(), toccata::minimum, another "
                    "function object of toccata.hpp, or an MPI_Op");
      return MPI_OP_NULL;
    }
  }
}

// The function of toccata.h for a form, with the arguments in front of the communicator.
template <Form form, auto blocking, auto nonblocking, auto persistent, typename... Arguments>
auto call(const Communicator& comm, const char* algorithm, Arguments... arguments) {
  if constexpr (form == Form::blocking) {
    check(blocking(arguments..., comm.handle(), algorithm));
  } else {
    toccata_request request = TOCCATA_REQUEST_NULL;
    if constexpr (form == Form::nonblocking)
      check(nonblocking(arguments..., comm.handle(), algorithm, &request));
    else
      check(persistent(arguments..., comm.handle(), MPI_INFO_NULL, algorithm, &request));
    return Request(request);
  }
}
#define TOCCATA_HPP_CALL(name) call<form, &toccata_##name, &toccata_i##name, &toccata_##name##_init>

// Each function converts its arguments to those of toccata.h.

template <Form form, typename Send, typename Recv>
auto allgather(const char* algorithm, const Communicator& comm, Send&& send, Recv&& recv) {
  must_match<Send, Recv>();
  const auto from = source<form, Send>(send);
  const auto into = target<form, Recv>(recv);
  if constexpr (is_in_place<Send>) {
    const int each = share(into.size, comm.size(), "receive");
    return TOCCATA_HPP_CALL(allgather)(comm, algorithm, from.address, each, into.type, into.address,
                                       each, into.type);
  } else {
    expect_size(into.size, "receive", from.size * comm.size());
    const int each = count(from.size);
    return TOCCATA_HPP_CALL(allgather)(comm, algorithm, from.address, each, from.type, into.address,
                                       each, into.type);
  }
}

template <Form form, typename Send, typename Recv, typename Counts, typename Places>
auto allgatherv(const char* algorithm, const Communicator& comm, Send&& send, Recv&& recv,
                Counts&& counts, Places&& displs) {
  must_match<Send, Recv>();
  const auto from = source<form, Send>(send);
  const auto into = target<form, Recv>(recv);
  const int* sizes = integers<form, Counts>(counts, comm.size(), "counts");
  const int* places = integers<form, Places>(displs, comm.size(), "displs");
  expect_inside(sizes, places, comm.size(), into.size, "receive");
  if constexpr (!is_in_place<Send>)
    expect_size(from.size, "send", static_cast<std::size_t>(sizes[comm.rank()]));
  return TOCCATA_HPP_CALL(allgatherv)(comm, algorithm, from.address, count(from.size), from.type,
                                      into.address, sizes, places, into.type);
}

template <Form form, typename Send, typename Recv>
auto alltoall(const char* algorithm, const Communicator& comm, Send&& send, Recv&& recv) {
  must_match<Send, Recv>();
  const auto from = source<form, Send>(send);
  const auto into = target<form, Recv>(recv);
  if constexpr (!is_in_place<Send>) expect_size(from.size, "send", into.size);
  const int each = share(into.size, comm.size(), "receive");
  return TOCCATA_HPP_CALL(alltoall)(comm, algorithm, from.address, each, from.type, into.address,
                                    each, into.type);
}

template <Form form, typename Send, typename SendCounts, typename SendPlaces, typename Recv,
          typename RecvCounts, typename RecvPlaces>
auto alltoallv(const char* algorithm, const Communicator& comm, Send&& send,
               SendCounts&& sendcounts, SendPlaces&& sdispls, Recv&& recv, RecvCounts&& recvcounts,
               RecvPlaces&& rdispls) {
  must_match<Send, Recv>();
  const auto from = source<form, Send>(send);
  const auto into = target<form, Recv>(recv);
  const int* recvs = integers<form, RecvCounts>(recvcounts, comm.size(), "recvcounts");
  const int* into_places = integers<form, RecvPlaces>(rdispls, comm.size(), "rdispls");
  expect_inside(recvs, into_places, comm.size(), into.size, "receive");
  if constexpr (is_in_place<Send>) {
    return TOCCATA_HPP_CALL(alltoallv)(comm, algorithm, from.address, nullptr, nullptr, from.type,
                                       into.address, recvs, into_places, into.type);
  } else {
    const int* sends = integers<form, SendCounts>(sendcounts, comm.size(), "sendcounts");
    const int* from_places = integers<form, SendPlaces>(sdispls, comm.size(), "sdispls");
    expect_inside(sends, from_places, comm.size(), from.size, "send");
    return TOCCATA_HPP_CALL(alltoallv)(comm, algorithm, from.address, sends, from_places, from.type,
                                       into.address, recvs, into_places, into.type);
  }
}

template <Form form, typename Buffer>
auto bcast(const char* algorithm, const Communicator& comm, Buffer&& buffer, int root) {
  const auto memory = target<form, Buffer>(buffer);
  is_root(root, comm);
  return TOCCATA_HPP_CALL(bcast)(comm, algorithm, memory.address, count(memory.size), memory.type,
                                 root);
}

template <Form form, typename Send, typename Recv>
auto gather(const char* algorithm, const Communicator& comm, Send&& send, Recv&& recv, int root) {
  must_match<Send, Recv>();
  const auto from = source<form, Send>(send);
  const auto into = target<form, Recv>(recv);
  int each = count(from.size);
  if (is_root(root, comm)) {
    if constexpr (is_in_place<Send>)
      each = share(into.size, comm.size(), "receive");
    else
      expect_size(into.size, "receive", from.size * comm.size());
  }
  return TOCCATA_HPP_CALL(gather)(comm, algorithm, from.address, count(from.size), from.type,
                                  into.address, each, into.type, root);
}

template <Form form, typename Send, typename Recv, typename Counts, typename Places>
auto gatherv(const char* algorithm, const Communicator& comm, Send&& send, Recv&& recv,
             Counts&& counts, Places&& displs, int root) {
  must_match<Send, Recv>();
  const auto from = source<form, Send>(send);
  const auto into = target<form, Recv>(recv);
  const int* sizes = nullptr;
  const int* places = nullptr;
  const bool here = is_root(root, comm);
  if constexpr (!is_ignored<Recv>) {
    if (here) {
      sizes = integers<form, Counts>(counts, comm.size(), "counts");
      places = integers<form, Places>(displs, comm.size(), "displs");
      expect_inside(sizes, places, comm.size(), into.size, "receive");
    }
  }
  return TOCCATA_HPP_CALL(gatherv)(comm, algorithm, from.address, count(from.size), from.type,
                                   into.address, sizes, places, into.type, root);
}

template <Form form, typename Send, typename Recv>
auto scatter(const char* algorithm, const Communicator& comm, Send&& send, Recv&& recv, int root) {
  must_match<Send, Recv>();
  const bool here = is_root(root, comm);
  if constexpr (is_in_place<Recv>) {
    const auto from = source<form, Send>(send);
    const int each = share(from.size, comm.size(), "send");
    return TOCCATA_HPP_CALL(scatter)(comm, algorithm, from.address, each, from.type, MPI_IN_PLACE,
                                     each, from.type, root);
  } else {
    const auto from = source<form, Send>(send);
    const auto into = target<form, Recv>(recv);
    if (here) expect_size(from.size, "send", into.size * comm.size());
    const int each = count(into.size);
    return TOCCATA_HPP_CALL(scatter)(comm, algorithm, from.address, each, from.type, into.address,
                                     each, into.type, root);
  }
}

template <Form form, typename Send, typename Counts, typename Places, typename Recv>
auto scatterv(const char* algorithm, const Communicator& comm, Send&& send, Counts&& counts,
              Places&& displs, Recv&& recv, int root) {
  must_match<Send, Recv>();
  const auto from = source<form, Send>(send);
  const int* sizes = nullptr;
  const int* places = nullptr;
  const bool here = is_root(root, comm);
  if constexpr (!is_ignored<Send>) {
    if (here) {
      sizes = integers<form, Counts>(counts, comm.size(), "counts");
      places = integers<form, Places>(displs, comm.size(), "displs");
      expect_inside(sizes, places, comm.size(), from.size, "send");
    }
  }
  if constexpr (is_in_place<Recv>) {
    return TOCCATA_HPP_CALL(scatterv)(comm, algorithm, from.address, sizes, places, from.type,
                                      MPI_IN_PLACE, 0, from.type, root);
  } else {
    const auto into = target<form, Recv>(recv);
    return TOCCATA_HPP_CALL(scatterv)(comm, algorithm, from.address, sizes, places, from.type,
                                      into.address, count(into.size), into.type, root);
  }
}

template <Form form, typename Send, typename Recv, typename Operation>
auto reduce(const char* algorithm, const Communicator& comm, Send&& send, Recv&& recv,
            const Operation& op, int root) {
  must_match<Send, Recv>();
  const auto from = source<form, Send>(send);
  const auto into = target<form, Recv>(recv);
  if constexpr (is_ignored<Recv>) {
    return TOCCATA_HPP_CALL(reduce)(comm, algorithm, from.address, into.address, count(from.size),
                                    from.type, operation<Element<Send>>(op), root);
  } else {
    if constexpr (!is_in_place<Send>) {
      if (is_root(root, comm)) expect_size(into.size, "receive", from.size);
      return TOCCATA_HPP_CALL(reduce)(comm, algorithm, from.address, into.address, count(from.size),
                                      into.type, operation<Element<Recv>>(op), root);
    } else {
      return TOCCATA_HPP_CALL(reduce)(comm, algorithm, from.address, into.address, count(into.size),
                                      into.type, operation<Element<Recv>>(op), root);
    }
  }
}

#define TOCCATA_HPP_LIKE_ALLREDUCE(name)                                                         \
  template <Form form, typename Send, typename Recv, typename Operation>                         \
  auto name(const char* algorithm, const Communicator& comm, Send&& send, Recv&& recv,           \
            const Operation& op) {                                                               \
    must_match<Send, Recv>();                                                                    \
    const auto from = source<form, Send>(send);                                                  \
    const auto into = target<form, Recv>(recv);                                                  \
    if constexpr (!is_in_place<Send>) expect_size(from.size, "send", into.size);                 \
    return TOCCATA_HPP_CALL(name)(comm, algorithm, from.address, into.address, count(into.size), \
                                  into.type, operation<Element<Recv>>(op));                      \
  }
TOCCATA_HPP_LIKE_ALLREDUCE(allreduce)
TOCCATA_HPP_LIKE_ALLREDUCE(scan)
TOCCATA_HPP_LIKE_ALLREDUCE(exscan)
#undef TOCCATA_HPP_LIKE_ALLREDUCE

template <Form form, typename Send, typename Recv, typename Operation>
auto reduce_scatter_block(const char* algorithm, const Communicator& comm, Send&& send, Recv&& recv,
                          const Operation& op) {
  must_match<Send, Recv>();
  const auto from = source<form, Send>(send);
  const auto into = target<form, Recv>(recv);
  int each = 0;
  if constexpr (is_in_place<Send>) {
    each = share(into.size, comm.size(), "receive");
  } else {
    expect_size(from.size, "send", into.size * comm.size());
    each = count(into.size);
  }
  return TOCCATA_HPP_CALL(reduce_scatter_block)(comm, algorithm, from.address, into.address, each,
                                                into.type, operation<Element<Recv>>(op));
}

template <Form form, typename Send, typename Recv, typename Counts, typename Operation>
auto reduce_scatter(const char* algorithm, const Communicator& comm, Send&& send, Recv&& recv,
                    Counts&& recvcounts, const Operation& op) {
  must_match<Send, Recv>();
  const auto from = source<form, Send>(send);
  const auto into = target<form, Recv>(recv);
  const int* sizes = integers<form, Counts>(recvcounts, comm.size(), "recvcounts");
  if constexpr (is_in_place<Send>) {
    expect_inside(sizes, nullptr, comm.size(), into.size, "receive");
  } else {
    expect_inside(sizes, nullptr, comm.size(), from.size, "send");
    expect_inside(sizes + comm.rank(), nullptr, 1, into.size, "receive");
  }
  return TOCCATA_HPP_CALL(reduce_scatter)(comm, algorithm, from.address, into.address, sizes,
                                          into.type, operation<Element<Recv>>(op));
}

template <Form form>
auto barrier(const char* algorithm, const Communicator& comm) {
  return TOCCATA_HPP_CALL(barrier)(comm, algorithm);
}

template <Form form, typename Send, typename Recv>
auto neighbor_allgather(const char* algorithm, const Communicator& comm, Send&& send, Recv&& recv) {
  must_match<Send, Recv>();
  const auto from = source<form, Send>(send);
  const auto into = target<form, Recv>(recv);
  expect_size(into.size, "receive", from.size * comm.sources());
  const int each = count(from.size);
  return TOCCATA_HPP_CALL(neighbor_allgather)(comm, algorithm, from.address, each, from.type,
                                              into.address, each, into.type);
}

template <Form form, typename Send, typename Recv, typename Counts, typename Places>
auto neighbor_allgatherv(const char* algorithm, const Communicator& comm, Send&& send, Recv&& recv,
                         Counts&& counts, Places&& displs) {
  must_match<Send, Recv>();
  const auto from = source<form, Send>(send);
  const auto into = target<form, Recv>(recv);
  const int* sizes = integers<form, Counts>(counts, comm.sources(), "counts");
  const int* places = integers<form, Places>(displs, comm.sources(), "displs");
  expect_inside(sizes, places, comm.sources(), into.size, "receive");
  return TOCCATA_HPP_CALL(neighbor_allgatherv)(comm, algorithm, from.address, count(from.size),
                                               from.type, into.address, sizes, places, into.type);
}

template <Form form, typename Send, typename Recv>
auto neighbor_alltoall(const char* algorithm, const Communicator& comm, Send&& send, Recv&& recv) {
  must_match<Send, Recv>();
  const auto from = source<form, Send>(send);
  const auto into = target<form, Recv>(recv);
  const int sends = share(from.size, comm.destinations(), "send");
  const int recvs = share(into.size, comm.sources(), "receive");
  return TOCCATA_HPP_CALL(neighbor_alltoall)(comm, algorithm, from.address, sends, from.type,
                                             into.address, recvs, into.type);
}

template <Form form, typename Send, typename SendCounts, typename SendPlaces, typename Recv,
          typename RecvCounts, typename RecvPlaces>
auto neighbor_alltoallv(const char* algorithm, const Communicator& comm, Send&& send,
                        SendCounts&& sendcounts, SendPlaces&& sdispls, Recv&& recv,
                        RecvCounts&& recvcounts, RecvPlaces&& rdispls) {
  must_match<Send, Recv>();
  const auto from = source<form, Send>(send);
  const auto into = target<form, Recv>(recv);
  const int* sends = integers<form, SendCounts>(sendcounts, comm.destinations(), "sendcounts");
  const int* from_places = integers<form, SendPlaces>(sdispls, comm.destinations(), "sdispls");
  const int* recvs = integers<form, RecvCounts>(recvcounts, comm.sources(), "recvcounts");
  const int* into_places = integers<form, RecvPlaces>(rdispls, comm.sources(), "rdispls");
  expect_inside(sends, from_places, comm.destinations(), from.size, "send");
  expect_inside(recvs, into_places, comm.sources(), into.size, "receive");
  return TOCCATA_HPP_CALL(neighbor_alltoallv)(comm, algorithm, from.address, sends, from_places,
                                              from.type, into.address, recvs, into_places,
                                              into.type);
}

// With a datatype per block, displacements are in bytes, so the caller passes plain addresses.
template <Form form, typename Places>
auto alltoallw(const char* algorithm, const Communicator& comm, const void* send,
               std::span<const int> sendcounts, std::span<const Places> sdispls,
               std::span<const MPI_Datatype> sendtypes, void* recv, std::span<const int> recvcounts,
               std::span<const Places> rdispls, std::span<const MPI_Datatype> recvtypes) {
  constexpr bool among_neighbors = std::is_same_v<Places, MPI_Aint>;
  const std::size_t sends = among_neighbors ? comm.destinations() : comm.size();
  const std::size_t recvs = among_neighbors ? comm.sources() : comm.size();
  if (sendcounts.size() != sends || sdispls.size() != sends || sendtypes.size() != sends ||
      recvcounts.size() != recvs || rdispls.size() != recvs || recvtypes.size() != recvs)
      [[unlikely]]
    fail(MPI_ERR_COUNT, "each array needs one element per block: " + std::to_string(sends) +
                            " sent and " + std::to_string(recvs) + " received");
  if constexpr (among_neighbors)
    return TOCCATA_HPP_CALL(neighbor_alltoallw)(
        comm, algorithm, send, sendcounts.data(), sdispls.data(), sendtypes.data(), recv,
        recvcounts.data(), rdispls.data(), recvtypes.data());
  else
    return TOCCATA_HPP_CALL(alltoallw)(comm, algorithm, send, sendcounts.data(), sdispls.data(),
                                       sendtypes.data(), recv, recvcounts.data(), rdispls.data(),
                                       recvtypes.data());
}
template <Form form, typename... Arguments>
auto neighbor_alltoallw(Arguments&&... arguments) {
  return alltoallw<form>(std::forward<Arguments>(arguments)...);
}
#undef TOCCATA_HPP_CALL

}  // namespace detail

// The functions. name() waits until the call has completed, iname() returns a nonblocking Request,
// and name_init() returns a persistent Request.

// Every rank gets the blocks of all ranks. `recv` has size() blocks of the length of `send`.
template <typename Send, typename Recv>
inline auto allgather(Send&& send, Recv&& recv, const Communicator& comm,
                      Algorithm<names::allgather> algorithm = {}) {
  return detail::allgather<detail::Form::blocking>(algorithm.text(), comm, std::forward<Send>(send),
                                                   std::forward<Recv>(recv));
}
template <typename Send, typename Recv>
inline auto iallgather(Send&& send, Recv&& recv, const Communicator& comm,
                       Algorithm<names::allgather> algorithm = {}) {
  return detail::allgather<detail::Form::nonblocking>(
      algorithm.text(), comm, std::forward<Send>(send), std::forward<Recv>(recv));
}
template <typename Send, typename Recv>
inline auto allgather_init(Send&& send, Recv&& recv, const Communicator& comm,
                           Algorithm<names::allgather> algorithm = {}) {
  return detail::allgather<detail::Form::persistent>(
      algorithm.text(), comm, std::forward<Send>(send), std::forward<Recv>(recv));
}

template <typename Send, typename Recv, typename RecvCounts, typename RecvPlaces>
inline auto allgatherv(Send&& send, Recv&& recv, RecvCounts&& recvcounts, RecvPlaces&& displs,
                       const Communicator& comm, Algorithm<names::allgatherv> algorithm = {}) {
  return detail::allgatherv<detail::Form::blocking>(
      algorithm.text(), comm, std::forward<Send>(send), std::forward<Recv>(recv),
      std::forward<RecvCounts>(recvcounts), std::forward<RecvPlaces>(displs));
}
template <typename Send, typename Recv, typename RecvCounts, typename RecvPlaces>
inline auto iallgatherv(Send&& send, Recv&& recv, RecvCounts&& recvcounts, RecvPlaces&& displs,
                        const Communicator& comm, Algorithm<names::allgatherv> algorithm = {}) {
  return detail::allgatherv<detail::Form::nonblocking>(
      algorithm.text(), comm, std::forward<Send>(send), std::forward<Recv>(recv),
      std::forward<RecvCounts>(recvcounts), std::forward<RecvPlaces>(displs));
}
template <typename Send, typename Recv, typename RecvCounts, typename RecvPlaces>
inline auto allgatherv_init(Send&& send, Recv&& recv, RecvCounts&& recvcounts, RecvPlaces&& displs,
                            const Communicator& comm, Algorithm<names::allgatherv> algorithm = {}) {
  return detail::allgatherv<detail::Form::persistent>(
      algorithm.text(), comm, std::forward<Send>(send), std::forward<Recv>(recv),
      std::forward<RecvCounts>(recvcounts), std::forward<RecvPlaces>(displs));
}

// Every rank gets one block from each rank. Both buffers have size() blocks.
template <typename Send, typename Recv>
inline auto alltoall(Send&& send, Recv&& recv, const Communicator& comm,
                     Algorithm<names::alltoall> algorithm = {}) {
  return detail::alltoall<detail::Form::blocking>(algorithm.text(), comm, std::forward<Send>(send),
                                                  std::forward<Recv>(recv));
}
template <typename Send, typename Recv>
inline auto ialltoall(Send&& send, Recv&& recv, const Communicator& comm,
                      Algorithm<names::alltoall> algorithm = {}) {
  return detail::alltoall<detail::Form::nonblocking>(
      algorithm.text(), comm, std::forward<Send>(send), std::forward<Recv>(recv));
}
template <typename Send, typename Recv>
inline auto alltoall_init(Send&& send, Recv&& recv, const Communicator& comm,
                          Algorithm<names::alltoall> algorithm = {}) {
  return detail::alltoall<detail::Form::persistent>(
      algorithm.text(), comm, std::forward<Send>(send), std::forward<Recv>(recv));
}

template <typename Send, typename SendCounts, typename SendPlaces, typename Recv,
          typename RecvCounts, typename RecvPlaces>
inline auto alltoallv(Send&& send, SendCounts&& sendcounts, SendPlaces&& sdispls, Recv&& recv,
                      RecvCounts&& recvcounts, RecvPlaces&& rdispls, const Communicator& comm,
                      Algorithm<names::alltoallv> algorithm = {}) {
  return detail::alltoallv<detail::Form::blocking>(
      algorithm.text(), comm, std::forward<Send>(send), std::forward<SendCounts>(sendcounts),
      std::forward<SendPlaces>(sdispls), std::forward<Recv>(recv),
      std::forward<RecvCounts>(recvcounts), std::forward<RecvPlaces>(rdispls));
}
template <typename Send, typename SendCounts, typename SendPlaces, typename Recv,
          typename RecvCounts, typename RecvPlaces>
inline auto ialltoallv(Send&& send, SendCounts&& sendcounts, SendPlaces&& sdispls, Recv&& recv,
                       RecvCounts&& recvcounts, RecvPlaces&& rdispls, const Communicator& comm,
                       Algorithm<names::alltoallv> algorithm = {}) {
  return detail::alltoallv<detail::Form::nonblocking>(
      algorithm.text(), comm, std::forward<Send>(send), std::forward<SendCounts>(sendcounts),
      std::forward<SendPlaces>(sdispls), std::forward<Recv>(recv),
      std::forward<RecvCounts>(recvcounts), std::forward<RecvPlaces>(rdispls));
}
template <typename Send, typename SendCounts, typename SendPlaces, typename Recv,
          typename RecvCounts, typename RecvPlaces>
inline auto alltoallv_init(Send&& send, SendCounts&& sendcounts, SendPlaces&& sdispls, Recv&& recv,
                           RecvCounts&& recvcounts, RecvPlaces&& rdispls, const Communicator& comm,
                           Algorithm<names::alltoallv> algorithm = {}) {
  return detail::alltoallv<detail::Form::persistent>(
      algorithm.text(), comm, std::forward<Send>(send), std::forward<SendCounts>(sendcounts),
      std::forward<SendPlaces>(sdispls), std::forward<Recv>(recv),
      std::forward<RecvCounts>(recvcounts), std::forward<RecvPlaces>(rdispls));
}

// As alltoallv, with a datatype per block. Displacements are in bytes. The bounds of the buffers
// are not checked.
inline auto alltoallw(const void* send, std::span<const int> sendcounts,
                      std::span<const int> sdispls, std::span<const MPI_Datatype> sendtypes,
                      void* recv, std::span<const int> recvcounts, std::span<const int> rdispls,
                      std::span<const MPI_Datatype> recvtypes, const Communicator& comm,
                      Algorithm<names::alltoallw> algorithm = {}) {
  return detail::alltoallw<detail::Form::blocking>(algorithm.text(), comm, send, sendcounts,
                                                   sdispls, sendtypes, recv, recvcounts, rdispls,
                                                   recvtypes);
}
inline auto ialltoallw(const void* send, std::span<const int> sendcounts,
                       std::span<const int> sdispls, std::span<const MPI_Datatype> sendtypes,
                       void* recv, std::span<const int> recvcounts, std::span<const int> rdispls,
                       std::span<const MPI_Datatype> recvtypes, const Communicator& comm,
                       Algorithm<names::alltoallw> algorithm = {}) {
  return detail::alltoallw<detail::Form::nonblocking>(algorithm.text(), comm, send, sendcounts,
                                                      sdispls, sendtypes, recv, recvcounts, rdispls,
                                                      recvtypes);
}
inline auto alltoallw_init(const void* send, std::span<const int> sendcounts,
                           std::span<const int> sdispls, std::span<const MPI_Datatype> sendtypes,
                           void* recv, std::span<const int> recvcounts,
                           std::span<const int> rdispls, std::span<const MPI_Datatype> recvtypes,
                           const Communicator& comm, Algorithm<names::alltoallw> algorithm = {}) {
  return detail::alltoallw<detail::Form::persistent>(algorithm.text(), comm, send, sendcounts,
                                                     sdispls, sendtypes, recv, recvcounts, rdispls,
                                                     recvtypes);
}

// Every rank gets the root's buffer.
template <typename Recv>
inline auto bcast(Recv&& recv, int root, const Communicator& comm,
                  Algorithm<names::bcast> algorithm = {}) {
  return detail::bcast<detail::Form::blocking>(algorithm.text(), comm, std::forward<Recv>(recv),
                                               root);
}
template <typename Recv>
inline auto ibcast(Recv&& recv, int root, const Communicator& comm,
                   Algorithm<names::bcast> algorithm = {}) {
  return detail::bcast<detail::Form::nonblocking>(algorithm.text(), comm, std::forward<Recv>(recv),
                                                  root);
}
template <typename Recv>
inline auto bcast_init(Recv&& recv, int root, const Communicator& comm,
                       Algorithm<names::bcast> algorithm = {}) {
  return detail::bcast<detail::Form::persistent>(algorithm.text(), comm, std::forward<Recv>(recv),
                                                 root);
}

// The root gets the blocks of all ranks. Other ranks pass `ignored` as `recv`.
template <typename Send, typename Recv>
inline auto gather(Send&& send, Recv&& recv, int root, const Communicator& comm,
                   Algorithm<names::gather> algorithm = {}) {
  return detail::gather<detail::Form::blocking>(algorithm.text(), comm, std::forward<Send>(send),
                                                std::forward<Recv>(recv), root);
}
template <typename Send, typename Recv>
inline auto igather(Send&& send, Recv&& recv, int root, const Communicator& comm,
                    Algorithm<names::gather> algorithm = {}) {
  return detail::gather<detail::Form::nonblocking>(algorithm.text(), comm, std::forward<Send>(send),
                                                   std::forward<Recv>(recv), root);
}
template <typename Send, typename Recv>
inline auto gather_init(Send&& send, Recv&& recv, int root, const Communicator& comm,
                        Algorithm<names::gather> algorithm = {}) {
  return detail::gather<detail::Form::persistent>(algorithm.text(), comm, std::forward<Send>(send),
                                                  std::forward<Recv>(recv), root);
}

template <typename Send, typename Recv, typename RecvCounts, typename RecvPlaces>
inline auto gatherv(Send&& send, Recv&& recv, RecvCounts&& recvcounts, RecvPlaces&& displs,
                    int root, const Communicator& comm, Algorithm<names::gatherv> algorithm = {}) {
  return detail::gatherv<detail::Form::blocking>(
      algorithm.text(), comm, std::forward<Send>(send), std::forward<Recv>(recv),
      std::forward<RecvCounts>(recvcounts), std::forward<RecvPlaces>(displs), root);
}
template <typename Send, typename Recv, typename RecvCounts, typename RecvPlaces>
inline auto igatherv(Send&& send, Recv&& recv, RecvCounts&& recvcounts, RecvPlaces&& displs,
                     int root, const Communicator& comm, Algorithm<names::gatherv> algorithm = {}) {
  return detail::gatherv<detail::Form::nonblocking>(
      algorithm.text(), comm, std::forward<Send>(send), std::forward<Recv>(recv),
      std::forward<RecvCounts>(recvcounts), std::forward<RecvPlaces>(displs), root);
}
template <typename Send, typename Recv, typename RecvCounts, typename RecvPlaces>
inline auto gatherv_init(Send&& send, Recv&& recv, RecvCounts&& recvcounts, RecvPlaces&& displs,
                         int root, const Communicator& comm,
                         Algorithm<names::gatherv> algorithm = {}) {
  return detail::gatherv<detail::Form::persistent>(
      algorithm.text(), comm, std::forward<Send>(send), std::forward<Recv>(recv),
      std::forward<RecvCounts>(recvcounts), std::forward<RecvPlaces>(displs), root);
}

// Every rank gets its block from the root. Other ranks pass `ignored` as `send`.
template <typename Send, typename Recv>
inline auto scatter(Send&& send, Recv&& recv, int root, const Communicator& comm,
                    Algorithm<names::scatter> algorithm = {}) {
  return detail::scatter<detail::Form::blocking>(algorithm.text(), comm, std::forward<Send>(send),
                                                 std::forward<Recv>(recv), root);
}
template <typename Send, typename Recv>
inline auto iscatter(Send&& send, Recv&& recv, int root, const Communicator& comm,
                     Algorithm<names::scatter> algorithm = {}) {
  return detail::scatter<detail::Form::nonblocking>(
      algorithm.text(), comm, std::forward<Send>(send), std::forward<Recv>(recv), root);
}
template <typename Send, typename Recv>
inline auto scatter_init(Send&& send, Recv&& recv, int root, const Communicator& comm,
                         Algorithm<names::scatter> algorithm = {}) {
  return detail::scatter<detail::Form::persistent>(algorithm.text(), comm, std::forward<Send>(send),
                                                   std::forward<Recv>(recv), root);
}

template <typename Send, typename SendCounts, typename SendPlaces, typename Recv>
inline auto scatterv(Send&& send, SendCounts&& sendcounts, SendPlaces&& displs, Recv&& recv,
                     int root, const Communicator& comm,
                     Algorithm<names::scatterv> algorithm = {}) {
  return detail::scatterv<detail::Form::blocking>(
      algorithm.text(), comm, std::forward<Send>(send), std::forward<SendCounts>(sendcounts),
      std::forward<SendPlaces>(displs), std::forward<Recv>(recv), root);
}
template <typename Send, typename SendCounts, typename SendPlaces, typename Recv>
inline auto iscatterv(Send&& send, SendCounts&& sendcounts, SendPlaces&& displs, Recv&& recv,
                      int root, const Communicator& comm,
                      Algorithm<names::scatterv> algorithm = {}) {
  return detail::scatterv<detail::Form::nonblocking>(
      algorithm.text(), comm, std::forward<Send>(send), std::forward<SendCounts>(sendcounts),
      std::forward<SendPlaces>(displs), std::forward<Recv>(recv), root);
}
template <typename Send, typename SendCounts, typename SendPlaces, typename Recv>
inline auto scatterv_init(Send&& send, SendCounts&& sendcounts, SendPlaces&& displs, Recv&& recv,
                          int root, const Communicator& comm,
                          Algorithm<names::scatterv> algorithm = {}) {
  return detail::scatterv<detail::Form::persistent>(
      algorithm.text(), comm, std::forward<Send>(send), std::forward<SendCounts>(sendcounts),
      std::forward<SendPlaces>(displs), std::forward<Recv>(recv), root);
}

// The root gets the result. Other ranks pass `ignored` as `recv`.
template <typename Send, typename Recv, typename Operation>
inline auto reduce(Send&& send, Recv&& recv, const Operation& op, int root,
                   const Communicator& comm, Algorithm<names::reduce> algorithm = {}) {
  return detail::reduce<detail::Form::blocking>(algorithm.text(), comm, std::forward<Send>(send),
                                                std::forward<Recv>(recv), op, root);
}
template <typename Send, typename Recv, typename Operation>
inline auto ireduce(Send&& send, Recv&& recv, const Operation& op, int root,
                    const Communicator& comm, Algorithm<names::reduce> algorithm = {}) {
  return detail::reduce<detail::Form::nonblocking>(algorithm.text(), comm, std::forward<Send>(send),
                                                   std::forward<Recv>(recv), op, root);
}
template <typename Send, typename Recv, typename Operation>
inline auto reduce_init(Send&& send, Recv&& recv, const Operation& op, int root,
                        const Communicator& comm, Algorithm<names::reduce> algorithm = {}) {
  return detail::reduce<detail::Form::persistent>(algorithm.text(), comm, std::forward<Send>(send),
                                                  std::forward<Recv>(recv), op, root);
}

// Every rank gets the result of all ranks.
template <typename Send, typename Recv, typename Operation>
inline auto allreduce(Send&& send, Recv&& recv, const Operation& op, const Communicator& comm,
                      Algorithm<names::allreduce> algorithm = {}) {
  return detail::allreduce<detail::Form::blocking>(algorithm.text(), comm, std::forward<Send>(send),
                                                   std::forward<Recv>(recv), op);
}
template <typename Send, typename Recv, typename Operation>
inline auto iallreduce(Send&& send, Recv&& recv, const Operation& op, const Communicator& comm,
                       Algorithm<names::allreduce> algorithm = {}) {
  return detail::allreduce<detail::Form::nonblocking>(
      algorithm.text(), comm, std::forward<Send>(send), std::forward<Recv>(recv), op);
}
template <typename Send, typename Recv, typename Operation>
inline auto allreduce_init(Send&& send, Recv&& recv, const Operation& op, const Communicator& comm,
                           Algorithm<names::allreduce> algorithm = {}) {
  return detail::allreduce<detail::Form::persistent>(
      algorithm.text(), comm, std::forward<Send>(send), std::forward<Recv>(recv), op);
}

// Every rank gets its block of the result.
template <typename Send, typename Recv, typename Operation>
inline auto reduce_scatter_block(Send&& send, Recv&& recv, const Operation& op,
                                 const Communicator& comm,
                                 Algorithm<names::reduce_scatter_block> algorithm = {}) {
  return detail::reduce_scatter_block<detail::Form::blocking>(
      algorithm.text(), comm, std::forward<Send>(send), std::forward<Recv>(recv), op);
}
template <typename Send, typename Recv, typename Operation>
inline auto ireduce_scatter_block(Send&& send, Recv&& recv, const Operation& op,
                                  const Communicator& comm,
                                  Algorithm<names::reduce_scatter_block> algorithm = {}) {
  return detail::reduce_scatter_block<detail::Form::nonblocking>(
      algorithm.text(), comm, std::forward<Send>(send), std::forward<Recv>(recv), op);
}
template <typename Send, typename Recv, typename Operation>
inline auto reduce_scatter_block_init(Send&& send, Recv&& recv, const Operation& op,
                                      const Communicator& comm,
                                      Algorithm<names::reduce_scatter_block> algorithm = {}) {
  return detail::reduce_scatter_block<detail::Form::persistent>(
      algorithm.text(), comm, std::forward<Send>(send), std::forward<Recv>(recv), op);
}

template <typename Send, typename Recv, typename RecvCounts, typename Operation>
inline auto reduce_scatter(Send&& send, Recv&& recv, RecvCounts&& recvcounts, const Operation& op,
                           const Communicator& comm,
                           Algorithm<names::reduce_scatter> algorithm = {}) {
  return detail::reduce_scatter<detail::Form::blocking>(
      algorithm.text(), comm, std::forward<Send>(send), std::forward<Recv>(recv),
      std::forward<RecvCounts>(recvcounts), op);
}
template <typename Send, typename Recv, typename RecvCounts, typename Operation>
inline auto ireduce_scatter(Send&& send, Recv&& recv, RecvCounts&& recvcounts, const Operation& op,
                            const Communicator& comm,
                            Algorithm<names::reduce_scatter> algorithm = {}) {
  return detail::reduce_scatter<detail::Form::nonblocking>(
      algorithm.text(), comm, std::forward<Send>(send), std::forward<Recv>(recv),
      std::forward<RecvCounts>(recvcounts), op);
}
template <typename Send, typename Recv, typename RecvCounts, typename Operation>
inline auto reduce_scatter_init(Send&& send, Recv&& recv, RecvCounts&& recvcounts,
                                const Operation& op, const Communicator& comm,
                                Algorithm<names::reduce_scatter> algorithm = {}) {
  return detail::reduce_scatter<detail::Form::persistent>(
      algorithm.text(), comm, std::forward<Send>(send), std::forward<Recv>(recv),
      std::forward<RecvCounts>(recvcounts), op);
}

// Every rank gets the result of the ranks up to itself.
template <typename Send, typename Recv, typename Operation>
inline auto scan(Send&& send, Recv&& recv, const Operation& op, const Communicator& comm,
                 Algorithm<names::scan> algorithm = {}) {
  return detail::scan<detail::Form::blocking>(algorithm.text(), comm, std::forward<Send>(send),
                                              std::forward<Recv>(recv), op);
}
template <typename Send, typename Recv, typename Operation>
inline auto iscan(Send&& send, Recv&& recv, const Operation& op, const Communicator& comm,
                  Algorithm<names::scan> algorithm = {}) {
  return detail::scan<detail::Form::nonblocking>(algorithm.text(), comm, std::forward<Send>(send),
                                                 std::forward<Recv>(recv), op);
}
template <typename Send, typename Recv, typename Operation>
inline auto scan_init(Send&& send, Recv&& recv, const Operation& op, const Communicator& comm,
                      Algorithm<names::scan> algorithm = {}) {
  return detail::scan<detail::Form::persistent>(algorithm.text(), comm, std::forward<Send>(send),
                                                std::forward<Recv>(recv), op);
}

// Every rank gets the result of the ranks before it.
template <typename Send, typename Recv, typename Operation>
inline auto exscan(Send&& send, Recv&& recv, const Operation& op, const Communicator& comm,
                   Algorithm<names::exscan> algorithm = {}) {
  return detail::exscan<detail::Form::blocking>(algorithm.text(), comm, std::forward<Send>(send),
                                                std::forward<Recv>(recv), op);
}
template <typename Send, typename Recv, typename Operation>
inline auto iexscan(Send&& send, Recv&& recv, const Operation& op, const Communicator& comm,
                    Algorithm<names::exscan> algorithm = {}) {
  return detail::exscan<detail::Form::nonblocking>(algorithm.text(), comm, std::forward<Send>(send),
                                                   std::forward<Recv>(recv), op);
}
template <typename Send, typename Recv, typename Operation>
inline auto exscan_init(Send&& send, Recv&& recv, const Operation& op, const Communicator& comm,
                        Algorithm<names::exscan> algorithm = {}) {
  return detail::exscan<detail::Form::persistent>(algorithm.text(), comm, std::forward<Send>(send),
                                                  std::forward<Recv>(recv), op);
}

// Ends when all ranks have called it.
inline auto barrier(const Communicator& comm, Algorithm<names::barrier> algorithm = {}) {
  return detail::barrier<detail::Form::blocking>(algorithm.text(), comm);
}
inline auto ibarrier(const Communicator& comm, Algorithm<names::barrier> algorithm = {}) {
  return detail::barrier<detail::Form::nonblocking>(algorithm.text(), comm);
}
inline auto barrier_init(const Communicator& comm, Algorithm<names::barrier> algorithm = {}) {
  return detail::barrier<detail::Form::persistent>(algorithm.text(), comm);
}

// Among the neighbours of a topology: one block per incoming edge, in its order.
template <typename Send, typename Recv>
inline auto neighbor_allgather(Send&& send, Recv&& recv, const Communicator& comm,
                               Algorithm<names::neighbor_allgather> algorithm = {}) {
  return detail::neighbor_allgather<detail::Form::blocking>(
      algorithm.text(), comm, std::forward<Send>(send), std::forward<Recv>(recv));
}
template <typename Send, typename Recv>
inline auto ineighbor_allgather(Send&& send, Recv&& recv, const Communicator& comm,
                                Algorithm<names::neighbor_allgather> algorithm = {}) {
  return detail::neighbor_allgather<detail::Form::nonblocking>(
      algorithm.text(), comm, std::forward<Send>(send), std::forward<Recv>(recv));
}
template <typename Send, typename Recv>
inline auto neighbor_allgather_init(Send&& send, Recv&& recv, const Communicator& comm,
                                    Algorithm<names::neighbor_allgather> algorithm = {}) {
  return detail::neighbor_allgather<detail::Form::persistent>(
      algorithm.text(), comm, std::forward<Send>(send), std::forward<Recv>(recv));
}

template <typename Send, typename Recv, typename RecvCounts, typename RecvPlaces>
inline auto neighbor_allgatherv(Send&& send, Recv&& recv, RecvCounts&& recvcounts,
                                RecvPlaces&& displs, const Communicator& comm,
                                Algorithm<names::neighbor_allgatherv> algorithm = {}) {
  return detail::neighbor_allgatherv<detail::Form::blocking>(
      algorithm.text(), comm, std::forward<Send>(send), std::forward<Recv>(recv),
      std::forward<RecvCounts>(recvcounts), std::forward<RecvPlaces>(displs));
}
template <typename Send, typename Recv, typename RecvCounts, typename RecvPlaces>
inline auto ineighbor_allgatherv(Send&& send, Recv&& recv, RecvCounts&& recvcounts,
                                 RecvPlaces&& displs, const Communicator& comm,
                                 Algorithm<names::neighbor_allgatherv> algorithm = {}) {
  return detail::neighbor_allgatherv<detail::Form::nonblocking>(
      algorithm.text(), comm, std::forward<Send>(send), std::forward<Recv>(recv),
      std::forward<RecvCounts>(recvcounts), std::forward<RecvPlaces>(displs));
}
template <typename Send, typename Recv, typename RecvCounts, typename RecvPlaces>
inline auto neighbor_allgatherv_init(Send&& send, Recv&& recv, RecvCounts&& recvcounts,
                                     RecvPlaces&& displs, const Communicator& comm,
                                     Algorithm<names::neighbor_allgatherv> algorithm = {}) {
  return detail::neighbor_allgatherv<detail::Form::persistent>(
      algorithm.text(), comm, std::forward<Send>(send), std::forward<Recv>(recv),
      std::forward<RecvCounts>(recvcounts), std::forward<RecvPlaces>(displs));
}

template <typename Send, typename Recv>
inline auto neighbor_alltoall(Send&& send, Recv&& recv, const Communicator& comm,
                              Algorithm<names::neighbor_alltoall> algorithm = {}) {
  return detail::neighbor_alltoall<detail::Form::blocking>(
      algorithm.text(), comm, std::forward<Send>(send), std::forward<Recv>(recv));
}
template <typename Send, typename Recv>
inline auto ineighbor_alltoall(Send&& send, Recv&& recv, const Communicator& comm,
                               Algorithm<names::neighbor_alltoall> algorithm = {}) {
  return detail::neighbor_alltoall<detail::Form::nonblocking>(
      algorithm.text(), comm, std::forward<Send>(send), std::forward<Recv>(recv));
}
template <typename Send, typename Recv>
inline auto neighbor_alltoall_init(Send&& send, Recv&& recv, const Communicator& comm,
                                   Algorithm<names::neighbor_alltoall> algorithm = {}) {
  return detail::neighbor_alltoall<detail::Form::persistent>(
      algorithm.text(), comm, std::forward<Send>(send), std::forward<Recv>(recv));
}

template <typename Send, typename SendCounts, typename SendPlaces, typename Recv,
          typename RecvCounts, typename RecvPlaces>
inline auto neighbor_alltoallv(Send&& send, SendCounts&& sendcounts, SendPlaces&& sdispls,
                               Recv&& recv, RecvCounts&& recvcounts, RecvPlaces&& rdispls,
                               const Communicator& comm,
                               Algorithm<names::neighbor_alltoallv> algorithm = {}) {
  return detail::neighbor_alltoallv<detail::Form::blocking>(
      algorithm.text(), comm, std::forward<Send>(send), std::forward<SendCounts>(sendcounts),
      std::forward<SendPlaces>(sdispls), std::forward<Recv>(recv),
      std::forward<RecvCounts>(recvcounts), std::forward<RecvPlaces>(rdispls));
}
template <typename Send, typename SendCounts, typename SendPlaces, typename Recv,
          typename RecvCounts, typename RecvPlaces>
inline auto ineighbor_alltoallv(Send&& send, SendCounts&& sendcounts, SendPlaces&& sdispls,
                                Recv&& recv, RecvCounts&& recvcounts, RecvPlaces&& rdispls,
                                const Communicator& comm,
                                Algorithm<names::neighbor_alltoallv> algorithm = {}) {
  return detail::neighbor_alltoallv<detail::Form::nonblocking>(
      algorithm.text(), comm, std::forward<Send>(send), std::forward<SendCounts>(sendcounts),
      std::forward<SendPlaces>(sdispls), std::forward<Recv>(recv),
      std::forward<RecvCounts>(recvcounts), std::forward<RecvPlaces>(rdispls));
}
template <typename Send, typename SendCounts, typename SendPlaces, typename Recv,
          typename RecvCounts, typename RecvPlaces>
inline auto neighbor_alltoallv_init(Send&& send, SendCounts&& sendcounts, SendPlaces&& sdispls,
                                    Recv&& recv, RecvCounts&& recvcounts, RecvPlaces&& rdispls,
                                    const Communicator& comm,
                                    Algorithm<names::neighbor_alltoallv> algorithm = {}) {
  return detail::neighbor_alltoallv<detail::Form::persistent>(
      algorithm.text(), comm, std::forward<Send>(send), std::forward<SendCounts>(sendcounts),
      std::forward<SendPlaces>(sdispls), std::forward<Recv>(recv),
      std::forward<RecvCounts>(recvcounts), std::forward<RecvPlaces>(rdispls));
}

inline auto neighbor_alltoallw(const void* send, std::span<const int> sendcounts,
                               std::span<const MPI_Aint> sdispls,
                               std::span<const MPI_Datatype> sendtypes, void* recv,
                               std::span<const int> recvcounts, std::span<const MPI_Aint> rdispls,
                               std::span<const MPI_Datatype> recvtypes, const Communicator& comm,
                               Algorithm<names::neighbor_alltoallw> algorithm = {}) {
  return detail::neighbor_alltoallw<detail::Form::blocking>(algorithm.text(), comm, send,
                                                            sendcounts, sdispls, sendtypes, recv,
                                                            recvcounts, rdispls, recvtypes);
}
inline auto ineighbor_alltoallw(const void* send, std::span<const int> sendcounts,
                                std::span<const MPI_Aint> sdispls,
                                std::span<const MPI_Datatype> sendtypes, void* recv,
                                std::span<const int> recvcounts, std::span<const MPI_Aint> rdispls,
                                std::span<const MPI_Datatype> recvtypes, const Communicator& comm,
                                Algorithm<names::neighbor_alltoallw> algorithm = {}) {
  return detail::neighbor_alltoallw<detail::Form::nonblocking>(algorithm.text(), comm, send,
                                                               sendcounts, sdispls, sendtypes, recv,
                                                               recvcounts, rdispls, recvtypes);
}
inline auto neighbor_alltoallw_init(
    const void* send, std::span<const int> sendcounts, std::span<const MPI_Aint> sdispls,
    std::span<const MPI_Datatype> sendtypes, void* recv, std::span<const int> recvcounts,
    std::span<const MPI_Aint> rdispls, std::span<const MPI_Datatype> recvtypes,
    const Communicator& comm, Algorithm<names::neighbor_alltoallw> algorithm = {}) {
  return detail::neighbor_alltoallw<detail::Form::persistent>(algorithm.text(), comm, send,
                                                              sendcounts, sdispls, sendtypes, recv,
                                                              recvcounts, rdispls, recvtypes);
}

}  // namespace toccata

#endif  // TOCCATA_HPP
