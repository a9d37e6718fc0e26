#pragma once
// What a loop reads of its next item, on its way while the loop works at this one. On CUDA it goes to shared memory,
// past the registers, of which loops that keep many numbers have none left; so the loop is one of for_each_resident().
#include "base/load_once.hpp"
#include "base/resident.hpp"

namespace tessera {

/// `Source` says where the numbers of an item stand: `count` of them, of type Real, number k at place(k, item); the
/// first `often` are read by several items. Without `ahead`, and on threads, they are read where they are asked for.
/// Borrows the source.
template <class Source, class Item, bool ahead>
class ReadAhead {
 public:
  using Real = typename Source::Real;

  TESSERA_HD_INLINE explicit ReadAhead(const Source& source) : source_(source) {}
  /// Called for the next item before take() of this one.
  TESSERA_HD_INLINE void fetch(const Item&, bool) {}
  TESSERA_HD_INLINE void take(const Item& item) { item_ = item; }
  /// Number k of the item that was taken.
  TESSERA_HD_INLINE Real operator[](int k) const {
    return k < Source::often ? *source_.place(k, item_) : load_once(source_.place(k, item_));
  }

 private:
  const Source& source_;
  Item item_{};
};

#if __CUDA_ARCH__ >= 800
template <class Source, class Item>
class ReadAhead<Source, Item, true> {
 public:
  using Real = typename Source::Real;

  __device__ __forceinline__ explicit ReadAhead(const Source& source) : source_(source) {}
  __device__ __forceinline__ void fetch(const Item& item, bool is_there) {
    if (is_there) {
#pragma unroll
      for (int k = 0; k < Source::count; ++k)
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(
                         static_cast<unsigned>(__cvta_generic_to_shared(slot(turn_, k)))),
                     "l"(source_.place(k, item)), "n"(sizeof(Real))
                     : "memory");
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
    turn_ ^= 1;
  }
  __device__ __forceinline__ void take(const Item&) { asm volatile("cp.async.wait_group 1;" ::: "memory"); }
  __device__ __forceinline__ Real operator[](int k) const { return *slot(turn_, k); }

 private:
  /// Of two items a thread, which has one such object at a time; the next one is written where the one before this was.
  __device__ __forceinline__ static Real* slot(int turn, int k) {
    __shared__ Real slots[2][Source::count][resident_block];
    return &slots[turn][k][threadIdx.x];
  }

  const Source& source_;
  int turn_ = 0;
};
#endif

}  // namespace tessera
