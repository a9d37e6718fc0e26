#include <string>

#include "base/parallel.hpp"
#include "bench/support/atomics.hpp"

namespace tessera::bench {
namespace kernels {

constexpr int block = 256;
constexpr int adds_a_thread = 16;
constexpr int shared_doubles = 2048;

enum class Places { side_by_side, scattered, crowded };

/// Place of addition `k`: neighbours, anywhere, or eight threads to each.
__device__ Offset place_of(Places places, Offset k, Offset size) {
  if (places == Places::side_by_side) return k % size;
  if (places == Places::crowded) return k / 8 % size;
  unsigned long long x = static_cast<unsigned long long>(k) * 0x9e3779b97f4a7c15ull;
  x ^= x >> 29;
  return static_cast<Offset>((x * 0xbf58476d1ce4e5b9ull >> 20) % static_cast<unsigned long long>(size));
}

template <bool atomic>
__device__ void add(double* to, double value) {
  if (atomic)
    atomicAdd(to, value);
  else
    *to += value;  // races where places meet: only the rate counts
}

template <bool atomic>
__global__ void __launch_bounds__(block) add_globally(double* values, Offset size, Places places) {
  const Offset threads = static_cast<Offset>(gridDim.x) * block;
  const Offset thread = blockIdx.x * static_cast<Offset>(block) + threadIdx.x;
  for (int k = 0; k < adds_a_thread; ++k) add<atomic>(values + place_of(places, thread + k * threads, size), 1.0);
}

template <bool atomic>
__global__ void __launch_bounds__(block) add_in_shared(double* values, Places places) {
  __shared__ double sums[shared_doubles];
  for (int k = threadIdx.x; k < shared_doubles; k += block) sums[k] = 0;
  __syncthreads();
  for (int k = 0; k < adds_a_thread; ++k)
    add<atomic>(sums + place_of(places, threadIdx.x + k * block, shared_doubles), 1.0);
  __syncthreads();
  if (threadIdx.x == 0) values[blockIdx.x] = sums[threadIdx.x] + sums[shared_doubles - 1];
}

}  // namespace kernels

std::vector<Row> atomic_rows(Cuda& exec) {
  std::vector<Row> rows;
  const Offset size = Offset{1} << 25, blocks = Offset{1} << 14;
  Array<double, Device> values(size);
  values.set_zero();
  const char* names[] = {"side by side", "scattered", "8 to a place"};
  for (const bool atomic : {false, true})
    for (const bool shared : {false, true})
      for (const auto places : {kernels::Places::side_by_side, kernels::Places::scattered, kernels::Places::crowded}) {
        Row row;
        row.name = std::string(atomic ? "atomic" : "plain") + " adds, " + (shared ? "shared" : "global") + ", " +
                   names[static_cast<int>(places)];
        row.size = std::to_string(blocks * kernels::block * kernels::adds_a_thread) + " adds";
        row.items = static_cast<double>(blocks) * kernels::block * kernels::adds_a_thread;
        row.item = "additions";
        row.timing = measure(
            exec,
            [&] {
              if (shared)
                launch(exec, atomic ? kernels::add_in_shared<true> : kernels::add_in_shared<false>, blocks,
                       kernels::block, values.data(), places);
              else
                launch(exec, atomic ? kernels::add_globally<true> : kernels::add_globally<false>, blocks,
                       kernels::block, values.data(), size, places);
            },
            3);
        rows.push_back(row);
      }
  return rows;
}

}  // namespace tessera::bench
