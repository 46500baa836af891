#pragma once

#include <memory>
#include <new>
#include <pthread.h>

namespace toccata {

// The object of this type that belongs to the calling thread, created on demand. The thread can
// still call MPI in destructors of its own thread_local objects, in any order, so this object must
// outlive these: destructors of POSIX keys run later. Keys of the program may come later still; a
// call there creates the object again, and POSIX runs our destructor again. At exit, POSIX runs no
// destructors, so exit handlers find the object of the main thread.
template <typename Value>
class KeptByThread {
 public:
  // Null if the thread has none.
  static Value* get() { return mine_; }
  // Null without memory, or if the process has no key left: then no function could free the object.
  // Null in the simulator, where ranks share the thread and its handles.
  static Value* make() {
#ifdef TOCCATA_SIMULATED
    return nullptr;
#endif
    static const Key key;
    if (mine_ != nullptr || !key.is_valid) return mine_;
    std::unique_ptr<Value> made(new (std::nothrow) Value);
    if (made != nullptr && pthread_setspecific(key.key, made.get()) == 0) mine_ = made.release();
    return mine_;
  }

 private:
  struct Key {
    Key() : is_valid(pthread_key_create(&key, forget) == 0) {}
    pthread_key_t key = {};
    bool is_valid;
  };
  static void forget(void* value) {
    mine_ = nullptr;
    delete static_cast<Value*>(value);
  }

  // Not the object itself: a library that is loaded late gets only a few bytes of the fast
  // thread-local memory, in which the pointer is found without a call.
  [[gnu::tls_model("initial-exec")]] static constinit inline thread_local Value* mine_ = nullptr;
};

}  // namespace toccata
