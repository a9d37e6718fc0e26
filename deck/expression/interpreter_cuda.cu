// Compiled without fused multiply-adds (deck/CMakeLists.txt), like the kernels that are made at run time.
#include <algorithm>

#include "base/parallel.hpp"
#include "deck/expression/interpreter.hpp"

namespace tessera::deck::expressions {

namespace kernels {

__device__ void store_and_look(const KernelArguments& arguments, int i, double value) {
  const long long place = place_of(arguments, i);
  if (!store(arguments.outputs[0], place, value)) atomicMin(arguments.bad, static_cast<unsigned long long>(place));
}

/// Registers [registers, threads of the block]: neighbours in neighbouring banks.
__global__ void interpret(ListingView listing, const __grid_constant__ KernelArguments arguments) {
  extern __shared__ double registers[];
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < arguments.count; i += gridDim.x * blockDim.x)
    store_and_look(arguments, i,
                   expressions::interpret(listing, arguments.inputs, i, registers + threadIdx.x, blockDim.x));
}

__global__ void __launch_bounds__(kernel_block)
    store_values(const double* values, const __grid_constant__ KernelArguments arguments) {
  for (int i = blockIdx.x * kernel_block + threadIdx.x; i < arguments.count; i += gridDim.x * kernel_block)
    store_and_look(arguments, i, values[i]);
}

}  // namespace kernels

DeviceListing::DeviceListing(const Listing& listing)
    : steps(to_space<Device>(listing.steps)),
      numbers(to_space<Device>(listing.numbers)),
      registers(listing.registers),
      result(listing.result) {}

Offset blocks_over_points(const Cuda& exec, int count, int block) {
  constexpr Offset threads_per_multiprocessor = 2048;
  const Offset wanted = (Offset{count} + block - 1) / block;
  return std::min(wanted, exec.multiprocessors() * threads_per_multiprocessor / block);
}

void interpret(Cuda& exec, const DeviceListing& listing, const KernelArguments& arguments) {
  if (arguments.count == 0) return;
  int block = kernel_block;
  while (block > 32 && Offset{listing.registers} * block > Offset{most_registers} * 32) block /= 2;
  const ListingView view{listing.steps.data(), listing.numbers.data(), static_cast<std::int32_t>(listing.steps.size()),
                         listing.result};
  const std::size_t shared = sizeof(double) * static_cast<std::size_t>(listing.registers) * block;
  kernels::interpret<<<static_cast<unsigned>(blocks_over_points(exec, arguments.count, block)), block, shared,
                       exec.stream()>>>(view, arguments);
  TESSERA_CUDA_CHECK(cudaGetLastError());
#ifndef NDEBUG
  exec.synchronize();
#endif
}

void store_values(Cuda& exec, const double* values, const KernelArguments& arguments) {
  launch(exec, kernels::store_values, blocks_over_points(exec, arguments.count, kernel_block), kernel_block, values,
         arguments);
}

}  // namespace tessera::deck::expressions
