#pragma once
#include <deque>

#include "base/array.hpp"

namespace tessera::solvers::tridiagonal {

/// Arrays that a method takes in the same order at every call: the first call allocates, later ones find them again.
template <class Space>
class Workspace {
 public:
  void restart() { next_ = 0; }

  template <class T>
  View<T> take(Offset count) {
    if (next_ == arrays_.size()) arrays_.emplace_back();
    Array<unsigned char, Space>& array = arrays_[next_++];
    const Offset bytes = count * static_cast<Offset>(sizeof(T));
    if (array.size() < bytes) array = Array<unsigned char, Space>(bytes);
    return {reinterpret_cast<T*>(array.data()), count};
  }

  Offset bytes() const {
    Offset sum = 0;
    for (const auto& array : arrays_) sum += array.size();
    return sum;
  }

 private:
  std::deque<Array<unsigned char, Space>> arrays_;
  std::size_t next_ = 0;
};

}  // namespace tessera::solvers::tridiagonal
