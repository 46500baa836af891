#pragma once

#include <nanobind/nanobind.h>
#include <string>
#include <string_view>

// Text between C++ and Python, also in errors, instead of <nanobind/stl/string.h>. File names,
// variables of the environment and contents of files may have bytes that are not UTF-8. C++ gets
// them unchanged from Python, which represents them by surrogates. Python gets U+FFFD, which can be
// printed, drawn and saved.

namespace toccata {

inline nanobind::handle python_text(std::string_view text) noexcept {
  return PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace");
}

// The bytes of a str; nothing for other objects.
inline nanobind::object bytes_of_python_text(nanobind::handle from) noexcept {
  if (!PyUnicode_Check(from.ptr())) return {};
  nanobind::object bytes =
      nanobind::steal(PyUnicode_AsEncodedString(from.ptr(), "utf-8", "surrogateescape"));
  if (!bytes.is_valid()) PyErr_Clear();
  return bytes;
}

inline std::string_view view_of(nanobind::handle bytes) noexcept {
  return {PyBytes_AS_STRING(bytes.ptr()), static_cast<std::size_t>(PyBytes_GET_SIZE(bytes.ptr()))};
}

template <typename Error>
struct TextException : nanobind::exception<Error> {
  TextException(nanobind::handle scope, const char* name, nanobind::handle base)
      : nanobind::exception<Error>(scope, name, base) {
    nanobind::register_exception_translator(  // comes before that of nanobind::exception
        [](const std::exception_ptr& thrown, void* type) {
          try {
            std::rethrow_exception(thrown);
          } catch (const Error& error) {
            const nanobind::object text = nanobind::steal(python_text(error.what()));
            PyErr_SetObject(static_cast<PyObject*>(type), text.ptr());
          }
        },
        this->ptr());
  }
};

}  // namespace toccata

namespace nanobind::detail {

template <>
struct type_caster<std::string> {
  NB_TYPE_CASTER(std::string, const_name("str"))

  bool from_python(handle from, std::uint32_t, cleanup_list*) noexcept {
    const object bytes = toccata::bytes_of_python_text(from);
    if (bytes.is_valid()) value = toccata::view_of(bytes);
    return bytes.is_valid();
  }
  static handle from_cpp(const std::string& text, rv_policy, cleanup_list*) noexcept {
    return toccata::python_text(text);
  }
};

template <>
struct type_caster<std::string_view> {
  NB_TYPE_CASTER(std::string_view, const_name("str"))

  bool from_python(handle from, std::uint32_t, cleanup_list* cleanup) noexcept {
    object bytes = toccata::bytes_of_python_text(from);
    if (!bytes.is_valid() || cleanup == nullptr) return false;
    value = toccata::view_of(bytes);
    cleanup->append(bytes.release().ptr());  // lives as long as the call
    return true;
  }
  static handle from_cpp(std::string_view text, rv_policy, cleanup_list*) noexcept {
    return toccata::python_text(text);
  }
};

}  // namespace nanobind::detail
