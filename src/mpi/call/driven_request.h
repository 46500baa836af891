#pragma once

namespace toccata {

// A nonblocking collective, or a start of a persistent one. Its owner advances it. Never waits.
class DrivenRequest {
 public:
  virtual ~DrivenRequest() = default;
  // start_driven() starts it, try_driven() advances it as far as possible. Both return whether it
  // has ended: code() is then its result, which no error handler has received yet.
  virtual bool start_driven() = 0;
  virtual bool try_driven() = 0;
  virtual int code() const = 0;
  // Passes the result to the communicator's error handler.
  virtual void raise() const = 0;
};

}  // namespace toccata
