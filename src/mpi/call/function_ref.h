#pragma once

#include <memory>

namespace toccata {

// A reference to a lambda or other callable that outlives it. Unlike a template parameter, it keeps
// the functions that receive it out of headers; unlike std::function, it copies and allocates
// nothing.
template <typename Signature>
class FunctionRef;

template <typename Result, typename... Arguments>
class FunctionRef<Result(Arguments...)> {
 public:
  template <typename Callable>
  FunctionRef(const Callable& callable)  // NOLINT(google-explicit-constructor): stands for it
      : callable_(std::addressof(callable)), call_([](const void* of, Arguments... arguments) {
          return static_cast<Result>((*static_cast<const Callable*>(of))(arguments...));
        }) {}

  Result operator()(Arguments... arguments) const { return call_(callable_, arguments...); }

 private:
  const void* callable_;
  Result (*call_)(const void*, Arguments...);
};

}  // namespace toccata
