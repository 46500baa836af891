// Objects with static storage in this library are never destroyed. A program may call MPI while the
// process ends: in exit handlers, and in destructors of global objects. Ours would be destroyed
// before, because most of them are created later.
//
// The compiler registers each destructor by __cxa_atexit. Inside this library, that is the function
// below; exports.map hides it from all other code.

extern "C" [[gnu::visibility("hidden")]] int __cxa_atexit(  // NOLINT(bugprone-reserved-identifier)
    void (*)(void*), void*, void*) noexcept {
  return 0;
}
