#pragma once

namespace toccata {

// What else has to go on while a blocking call waits: nonblocking collectives of this process.
class Background {
 public:
  virtual ~Background() = default;
  virtual bool busy() const = 0;
  virtual void progress() = 0;
};

}  // namespace toccata
