#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace toccata {

// A reference to a function, lambda or other callable that outlives it. Unlike a template
// parameter, it keeps the functions that receive it out of headers; unlike std::function, it copies
// and allocates nothing.
template <typename Signature>
class FunctionRef;

template <typename Result, typename... Arguments>
class FunctionRef<Result(Arguments...)> {
 public:
  FunctionRef() = default;  // to nothing
  template <typename Callable>
  requires(!std::is_same_v<std::remove_cvref_t<Callable>, FunctionRef>) FunctionRef(
      Callable&& callable)  // NOLINT(google-explicit-constructor): it stands for `callable`
      : callable_(const_cast<void*>(static_cast<const void*>(std::addressof(callable)))),
        call_([](void* of, Arguments... arguments) -> Result {
          return (*static_cast<std::add_pointer_t<std::remove_reference_t<Callable>>>(of))(
              std::forward<Arguments>(arguments)...);
        }) {}

  Result operator()(Arguments... arguments) const {
    return call_(callable_, std::forward<Arguments>(arguments)...);
  }

 private:
  void* callable_ = nullptr;
  Result (*call_)(void*, Arguments...) = nullptr;
};

}  // namespace toccata
