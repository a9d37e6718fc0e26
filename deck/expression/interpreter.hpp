#pragma once
// Expressions on the device without a compiler. Of CUDA builds.
#include "base/array.hpp"
#include "base/backend.hpp"
#include "deck/expression/listing.hpp"

namespace tessera::deck::expressions {

/// A listing on the device.
struct DeviceListing {
  explicit DeviceListing(const Listing& listing);
  Array<Step, Device> steps;
  Array<double, Device> numbers;
  std::int32_t registers, result;
};

/// Registers that the interpreter has for a point: those of 32 points in 48 KiB of shared memory.
inline constexpr std::int32_t most_registers = (48 << 10) / 32 / static_cast<int>(sizeof(double));

/// Values of a listing of at most most_registers registers at the points of `arguments`, to outputs[0].
void interpret(Cuda& exec, const DeviceListing& listing, const KernelArguments& arguments);

/// Values [count] that were computed elsewhere, stored and looked at as those of a kernel, to outputs[0].
void store_values(Cuda& exec, const double* values, const KernelArguments& arguments);

/// Blocks of a kernel with `block` threads over `count` points, in which threads take several.
Offset blocks_over_points(const Cuda& exec, int count, int block);

}  // namespace tessera::deck::expressions
