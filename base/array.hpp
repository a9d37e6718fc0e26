#pragma once
#include <cassert>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/memory.hpp"
#include "base/view.hpp"

namespace tessera {

/// Owns `size` items in one memory space. Move-only; copies are asked for by name. Contents start undefined
/// (debug builds fill them with 0xff: NaN for floating point, -1 for indices).
template <class T, class Space = Host>
class Array {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Array() = default;
  explicit Array(Offset size) : size_(size) {
    if (size_ == 0) return;
    data_ = static_cast<T*>(allocate(Space{}, bytes()));
#ifndef NDEBUG
    fill_bytes(Space{}, data_, 0xff, bytes());
#endif
  }
  Array(Array&& other) noexcept : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  Array& operator=(Array&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  ~Array() {
    if (data_) release(Space{}, data_, bytes());
  }

  Offset size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::size_t bytes() const { return static_cast<std::size_t>(size_) * sizeof(T); }
  T* data() { return data_; }
  const T* data() const { return data_; }
  View<T> view() { return {data_, size_}; }
  View<const T> view() const { return {data_, size_}; }
  operator View<T>() { return view(); }
  operator View<const T>() const { return view(); }

  /// Element access, host arrays only.
  T& operator[](Offset i) requires std::is_same_v<Space, Host> { return data_[i]; }
  const T& operator[](Offset i) const requires std::is_same_v<Space, Host> { return data_[i]; }
  T* begin() requires std::is_same_v<Space, Host> { return data_; }
  T* end() requires std::is_same_v<Space, Host> { return data_ + size_; }
  const T* begin() const requires std::is_same_v<Space, Host> { return data_; }
  const T* end() const requires std::is_same_v<Space, Host> { return data_ + size_; }

  void set_zero() { fill_bytes(Space{}, data_, 0, bytes()); }

 private:
  T* data_ = nullptr;
  Offset size_ = 0;
};

/// Copies between spaces; sizes must agree.
template <class T, class From, class To>
void copy(const Array<T, From>& from, Array<T, To>& to) {
  assert(from.size() == to.size());
  copy_bytes(From{}, from.data(), To{}, to.data(), from.bytes());
}

/// A copy of host items in `Space`.
template <class Space, class T>
Array<std::remove_const_t<T>, Space> to_space(std::span<T> items) {
  Array<std::remove_const_t<T>, Space> result(static_cast<Offset>(items.size()));
  copy_bytes(Host{}, items.data(), Space{}, result.data(), items.size_bytes());
  return result;
}
template <class Space, class T>
Array<T, Space> to_space(const std::vector<T>& items) {
  return to_space<Space>(std::span<const T>(items));
}

/// A copy of an array of any space on the host.
template <class T, class Space>
std::vector<T> to_vector(const Array<T, Space>& array) {
  std::vector<T> result(static_cast<std::size_t>(array.size()));
  copy_bytes(Space{}, array.data(), Host{}, result.data(), array.bytes());
  return result;
}

}  // namespace tessera
