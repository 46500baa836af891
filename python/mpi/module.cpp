// The module toccata._mpi, which makes the calls of toccata.mpi. A call first names an algorithm.
// Then it calls mpi4py's own method, which reads the buffers; see docs/design/0021-mpi4py.md.

#include <array>
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <string>
#include <utility>
#include <vector>

#include "calls.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace toccata {

namespace {

// Objects of mpi4py; written once, by connect(), and never released.
struct Mpi4py {
  PyTypeObject* communicator = nullptr;       // the class MPI.Comm
  PyTypeObject* intercommunicator = nullptr;  // MPI.Intercomm
  PyObject* exception = nullptr;              // MPI.Exception
};
Mpi4py mpi4py;

// Raises MPI.Exception, with the text of MPI_Error_string, if `code` is an error.
void check(int code) {
  if (code == 0) return;
  const nb::object number = nb::cast(code);
  PyErr_SetObject(mpi4py.exception, number.ptr());
  throw nb::python_error();
}

// A nonblocking or persistent collective, and the objects that must live as long: the buffers, in
// the caller's and in mpi4py's form, and arrays of counts.
class Request {
 public:
  Request(Named& named, nb::object buffers, bool persistent)
      : handle_(named.request()),
        active_(!persistent),
        persistent_(persistent),
        buffers_(std::move(buffers)),
        arrays_(std::move(named.arrays())) {}
  Request(const Request&) = delete;
  Request(Request&& other) noexcept
      : handle_(std::exchange(other.handle_, nullptr)),
        active_(std::exchange(other.active_, false)),
        persistent_(other.persistent_),
        buffers_(std::move(other.buffers_)),
        arrays_(std::move(other.arrays_)) {}

  // Messages of other ranks may still arrive in the buffers of an active request, and waiting here
  // could block forever. So a dropped active request stays, with its buffers.
  ~Request() {
    int finalized = 1;
    if (handle_ == nullptr) return;
    requests().finalized(&finalized);
    if (active_) {
      if (finalized != 0) return;
      buffers_.release();
      for (auto& each : arrays_) (void)each.release();
      if (PyErr_ResourceWarning(nullptr, 1,
                                "an active request of toccata.mpi was forgotten; call "
                                "Wait() before the last reference goes away") != 0)
        PyErr_WriteUnraisable(nullptr);
    } else if (finalized == 0) {
      requests().free(&handle_);
    }
  }

  void start() { run(requests().start, true); }
  void run_once() { run(requests().run, false); }
  bool wait() {
    run(requests().wait, false);
    return true;
  }
  bool test() {
    int flag = 0;
    int code;
    {
      nb::gil_scoped_release others;
      code = requests().test(&handle_, &flag);
    }
    if (flag != 0) conclude();
    check(code);
    return flag != 0;
  }
  void free() {
    check(requests().free(&handle_));
    buffers_.reset();
  }

  // Some requests, as an array for toccata.h. After the call, it marks the completed ones.
  class Several {
   public:
    explicit Several(const nb::sequence& requests) {
      for (const nb::handle each : requests) all_.push_back(nb::cast<Request*>(each));
      for (const Request* each : all_) handles_.push_back(each->handle_);
    }
    int size() const { return static_cast<int>(all_.size()); }
    toccata_request* handles() { return handles_.data(); }
    void conclude_all() {
      for (int i = 0; i < size(); ++i) conclude(i);
    }
    void conclude(int i) {
      all_[static_cast<std::size_t>(i)]->handle_ = handles_[static_cast<std::size_t>(i)];
      all_[static_cast<std::size_t>(i)]->conclude();
    }

   private:
    std::vector<Request*> all_;
    std::vector<toccata_request> handles_;
  };

 private:
  void run(int (*what)(toccata_request*), bool active) {
    int code;
    {
      nb::gil_scoped_release others;
      code = what(&handle_);
    }
    if (active && code == 0) active_ = true;
    if (!active) conclude();
    check(code);
  }
  void conclude() {
    active_ = false;
    if (!persistent_) buffers_.reset();
  }

  toccata_request handle_;
  bool active_;
  bool persistent_;
  nb::object buffers_;
  Named::Arrays arrays_;
};

// The first error among the codes of some requests.
void check(const std::vector<int>& codes) {
  for (const int code : codes) check(code);
}

bool wait_all(const nb::sequence& list) {
  Request::Several several(list);
  std::vector<int> codes(static_cast<std::size_t>(several.size()));
  {
    nb::gil_scoped_release others;
    requests().waitall(several.size(), several.handles(), codes.data());
  }
  several.conclude_all();
  check(codes);
  return true;
}

bool test_all(const nb::sequence& list) {
  Request::Several several(list);
  std::vector<int> codes(static_cast<std::size_t>(several.size()));
  int flag = 0;
  {
    nb::gil_scoped_release others;
    requests().testall(several.size(), several.handles(), &flag, codes.data());
  }
  if (flag == 0) return false;
  several.conclude_all();
  check(codes);
  return true;
}

// The position of the completed request, or None. MPI_UNDEFINED, whose value depends on the MPI, is
// never compared.
nb::object position(Request::Several& several, int code, int flag, int index) {
  const bool one = flag != 0 && index >= 0 && index < several.size();
  if (one) several.conclude(index);
  check(code);
  return one ? nb::cast(index) : nb::none();
}

nb::object wait_any(const nb::sequence& list) {
  Request::Several several(list);
  int index = -1;
  int code;
  {
    nb::gil_scoped_release others;
    code = requests().waitany(several.size(), several.handles(), &index);
  }
  return position(several, code, 1, index);
}

nb::tuple test_any(const nb::sequence& list) {
  Request::Several several(list);
  int index = -1;
  int flag = 0;
  int code;
  {
    nb::gil_scoped_release others;
    code = requests().testany(several.size(), several.handles(), &index, &flag);
  }
  const nb::object found = position(several, code, flag, index);
  return nb::make_tuple(found, flag != 0);
}

// The arguments of a call; `algorithm` is removed from the keywords.
struct Arguments {
  std::vector<PyObject*> moved;  // empty if the caller's array is used
  nb::object keywords;
  PyObject* algorithm = nullptr;

  Arguments(PyObject* const* arguments, Py_ssize_t positional, PyObject* names) {
    static PyObject* const word = PyUnicode_InternFromString("algorithm");
    const Py_ssize_t count = names == nullptr ? 0 : PyTuple_GET_SIZE(names);
    Py_ssize_t at = 0;
    while (at < count && PyTuple_GET_ITEM(names, at) != word &&
           PyUnicode_Compare(PyTuple_GET_ITEM(names, at), word) != 0)
      ++at;
    if (at == count) {
      keywords = nb::borrow(names);
      return;
    }
    algorithm = arguments[positional + at];
    if (count == 1) return;
    moved.assign(arguments, arguments + positional + count);
    moved.erase(moved.begin() + positional + at);
    nb::list rest;
    for (Py_ssize_t i = 0; i < count; ++i)
      if (i != at) rest.append(nb::handle(PyTuple_GET_ITEM(names, i)));
    keywords = nb::tuple(rest);
  }
};

// Calls mpi4py's method for this function, so that Toccata serves the MPI call in it.
nb::object called(int function, Way way, PyObject* const* arguments, Py_ssize_t count,
                  PyObject* names) {
  static const auto methods = [] {
    std::array<std::array<PyObject*, 2>, function_count> all{};
    for (int i = 0; i < function_count; ++i)
      all[static_cast<std::size_t>(i)] = {
          PyUnicode_InternFromString(function_names[i].blocking),
          PyUnicode_InternFromString(function_names[i].nonblocking)};
    return all;
  }();
  if (mpi4py.communicator == nullptr)
    throw std::runtime_error("toccata._mpi is not connected; import toccata.mpi");
  const auto& name = function_names[function];
  if (count < 1 || !PyObject_TypeCheck(arguments[0], mpi4py.communicator))
    throw nb::type_error("the first argument is not a communicator of mpi4py");
  if (PyObject_TypeCheck(arguments[0], mpi4py.intercommunicator))
    throw nb::value_error(("the communicator is an intercommunicator; call mpi4py's own " +
                           std::string(way == Way::blocking      ? name.blocking
                                       : way == Way::nonblocking ? name.nonblocking
                                                                 : name.persistent))
                              .c_str());
  const Arguments given(arguments, count, names);
  const char* algorithm = nullptr;
  if (given.algorithm != nullptr && given.algorithm != Py_None) {
    if (!PyUnicode_Check(given.algorithm))
      throw nb::type_error("the algorithm is not a string or None");
    algorithm = PyUnicode_AsUTF8(given.algorithm);
    if (algorithm == nullptr) throw nb::python_error();
  }
  PyObject* const method =
      methods[static_cast<std::size_t>(function)][way == Way::blocking ? 0 : 1];
  Named named(function, way, algorithm);
  nb::object answer = nb::steal(
      PyObject_VectorcallMethod(method, given.moved.empty() ? arguments : given.moved.data(),
                                static_cast<std::size_t>(count), given.keywords.ptr()));
  if (!answer.is_valid()) throw nb::python_error();
  if (!named.served())
    throw std::runtime_error(std::string("mpi4py did not call MPI for ") + name.blocking +
                             " in a way that toccata.mpi can answer");
  if (way == Way::blocking) return answer;
  nb::list buffers;
  buffers.append(answer);
  const Py_ssize_t keywords = names == nullptr ? 0 : PyTuple_GET_SIZE(names);
  for (Py_ssize_t i = 0; i < count + keywords; ++i) buffers.append(nb::handle(arguments[i]));
  return nb::cast(Request(named, std::move(buffers), way == Way::persistent));
}

// The entry point for Python. nanobind would copy the arguments into a tuple and a dict.
template <int function, Way way>
PyObject* entry(PyObject*, PyObject* const* arguments, Py_ssize_t count, PyObject* names) noexcept {
  try {
    return called(function, way, arguments, count, names).release().ptr();
  } catch (nb::python_error& error) {
    error.restore();
  } catch (const nb::builtin_exception& error) {
    PyErr_SetString(
        error.type() == nb::exception_type::value_error ? PyExc_ValueError : PyExc_TypeError,
        error.what());
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
  return nullptr;
}

template <int function>
void add(std::vector<PyMethodDef>& all) {
  const auto define = [&](const char* name, _PyCFunctionFastWithKeywords code, const char* text) {
    static std::array<std::string, 3> texts;
    const auto way = all.size() % 3;
    texts[way] = std::string(name) + "($module, comm, /, *args, algorithm=None, **kwargs)\n--\n\n" +
                 text + function_names[function].blocking;
    all.push_back({name, reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(code)),
                   METH_FASTCALL | METH_KEYWORDS, texts[way].c_str()});
  };
  define(function_names[function].blocking, entry<function, Way::blocking>, "Blocking MPI_");
  define(function_names[function].nonblocking, entry<function, Way::nonblocking>,
         "Nonblocking MPI_");
  define(function_names[function].persistent, entry<function, Way::persistent>, "Persistent MPI_");
}

template <int... function>
PyMethodDef* methods(std::integer_sequence<int, function...>) {
  static std::vector<PyMethodDef> all = [] {
    std::vector<PyMethodDef> made;
    (add<function>(made), ...);
    made.push_back({});
    return made;
  }();
  return all.data();
}

void connect_to(const nb::module_& mpi, const std::string& library, unsigned long info_null) {
  connect(nb::cast<std::string>(mpi.attr("__file__")), library, info_null);
  mpi4py.exception = nb::object(mpi.attr("Exception")).release().ptr();
  const auto type = [&](const char* name) {
    return reinterpret_cast<PyTypeObject*>(nb::object(mpi.attr(name)).release().ptr());
  };
  mpi4py.intercommunicator = type("Intercomm");
  mpi4py.communicator = type("Comm");
}

}  // namespace

}  // namespace toccata

NB_MODULE(_mpi, module) {
  using namespace toccata;
  PyModule_AddFunctions(module.ptr(), methods(std::make_integer_sequence<int, function_count>()));
  module.def("mpi_library_file", &mpi_library_file, "mpi4py"_a);
  module.def("is_preloaded", &is_preloaded);
  module.def("connect", &connect_to, "mpi"_a, "library"_a, "info_null"_a);
  nb::class_<Request>(module, "Request",
                      "A nonblocking or persistent collective of Toccata; not an mpi4py Request.")
      .def("Wait", &Request::wait, "Wait until the request has completed.")
      .def("Test", &Request::test, "Whether the request has completed.")
      .def("Start", &Request::start, "Start an inactive persistent request.")
      .def("Run", &Request::run_once, "Start an inactive persistent request and wait for it.")
      .def("Free", &Request::free, "Free an inactive persistent request.")
      .def_static("Waitall", &wait_all, "requests"_a, "Wait for all requests.")
      .def_static("Testall", &test_all, "requests"_a, "Whether all requests have completed.")
      .def_static("Waitany", &wait_any, "requests"_a,
                  "Wait for one request and return its position; None if none is active.")
      .def_static("Testany", &test_any, "requests"_a,
                  "The position of a completed request or None, and as in MPI the flag.");
}
