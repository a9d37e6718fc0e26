#pragma once
#include <memory>
#include <vector>

#include "base/backend.hpp"

namespace tessera {

/// Numbers that queued work leaves for the host, which waits for them alone and not for what is queued behind them.
template <class Exec>
class Posted;

template <>
class Posted<Threads> {
 public:
  explicit Posted(Offset count) : numbers_(static_cast<std::size_t>(count)) {}
  /// Where work puts them.
  View<double> target() { return {numbers_.data(), static_cast<Offset>(numbers_.size())}; }
  /// All that has been queued so far is waited for by `read`.
  void post(Threads&) {}
  View<const double> read() const { return {numbers_.data(), static_cast<Offset>(numbers_.size())}; }

 private:
  std::vector<double> numbers_;
};

/// In memory of the host that the device writes by itself.
template <>
class Posted<Cuda> {
 public:
  explicit Posted(Offset count);
  ~Posted();
  Posted(Posted&&) noexcept;
  View<double> target();
  void post(Cuda& exec);
  View<const double> read() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tessera
