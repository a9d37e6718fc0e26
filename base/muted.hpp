#pragma once

namespace tessera {

/// While one lives, nothing is logged and no warning is said or kept: for work that is done a second time.
class Muted {
 public:
  Muted();
  ~Muted();
  Muted(const Muted&) = delete;

 private:
  bool before_;
};

}  // namespace tessera
