#pragma once

namespace toccata {

// Work that must continue while a blocking call waits: nonblocking collectives of this process.
class Background {
 public:
  virtual ~Background() = default;
  virtual bool busy() const = 0;
  virtual void progress() = 0;
};

}  // namespace toccata
