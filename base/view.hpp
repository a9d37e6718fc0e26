#pragma once
#include <type_traits>

#include "base/types.hpp"

namespace tessera {

/// Borrows `size` contiguous items, on the host or on a device. Trivially copyable: kernels take it by value.
template <class T>
class View {
 public:
  TESSERA_HD View() = default;
  TESSERA_HD View(T* data, Offset size) : data_(data), size_(size) {}
  template <class U>
  requires std::is_same_v<const U, T> TESSERA_HD View(View<U> other) : data_(other.data()), size_(other.size()) {}

  TESSERA_HD T* data() const { return data_; }
  TESSERA_HD Offset size() const { return size_; }
  TESSERA_HD bool empty() const { return size_ == 0; }
  TESSERA_HD T& operator[](Offset i) const { return data_[i]; }
  TESSERA_HD T* begin() const { return data_; }
  TESSERA_HD T* end() const { return data_ + size_; }
  TESSERA_HD View part(Offset first, Offset count) const { return {data_ + first, count}; }

 private:
  T* data_ = nullptr;
  Offset size_ = 0;
};

}  // namespace tessera
