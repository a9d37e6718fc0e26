#pragma once
#include <chrono>
#include <string>
#include <vector>

namespace tessera {

/// One measured phase of a run. `bytes` is the declared least traffic, 0 where none is declared.
struct Phase {
  std::string name;
  double seconds = 0;
  double bytes = 0;
  int calls = 0;
  std::string part_of = {};  ///< the phase that it lies in and whose seconds hold its own; empty: none
};

/// Told when a phase begins and ends; the program shows by it what a run is at.
class PhaseListener {
 public:
  virtual ~PhaseListener() = default;
  /// May throw: the phase is then not begun. So a run that is to stop ends between two phases.
  virtual void begin(const std::string& phase) = 0;
  virtual void end(const std::string& phase) noexcept = 0;
};

/// Phases in the order of their first use; scopes of the same name add up.
class Profile {
 public:
  /// A phase that lies in another one is added as part of it.
  void begin(const std::string& name);
  void end(const std::string& name, double seconds, double bytes);
  const std::vector<Phase>& phases() const { return phases_; }
  /// `listener` may be null.
  void listen(PhaseListener* listener) { listener_ = listener; }

 private:
  Phase& find(const std::string& name);

  std::vector<Phase> phases_;
  std::vector<std::string> open_;
  PhaseListener* listener_ = nullptr;
};

/// The profile of this run.
Profile& profile();

void nvtx_push(const char* name);
void nvtx_pop();

/// Times a scope into `profile()`, an NVTX range on CUDA builds. On a backend, waits for its work at both ends.
template <class Exec>
class Scope {
 public:
  Scope(Exec& exec, std::string name, double bytes = 0) : exec_(exec), name_(std::move(name)), bytes_(bytes) {
    exec_.synchronize();
    profile().begin(name_);
    nvtx_push(name_.c_str());
    start_ = std::chrono::steady_clock::now();
  }
  ~Scope() {
    try {
      exec_.synchronize();
    } catch (...) {  // the failing call itself reports it
    }
    nvtx_pop();
    profile().end(name_, std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(), bytes_);
  }
  Scope(const Scope&) = delete;
  void add_bytes(double bytes) { bytes_ += bytes; }

 private:
  Exec& exec_;
  std::string name_;
  double bytes_;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace tessera
