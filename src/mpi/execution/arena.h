#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace toccata {

// Memory for the pieces of a round. It grows without moving pieces in use.
class Arena {
 public:
  char* take(std::int64_t bytes);
  // Forgets all pieces. Keeps a bounded amount of memory for the next round.
  void reset();

 private:
  struct Chunk {
    std::unique_ptr<char[]> memory;
    std::int64_t size, used;
  };
  std::vector<Chunk> chunks_;
};

}  // namespace toccata
