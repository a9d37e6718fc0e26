#pragma once
// What kernels of expressions are called with, as C++ and as text for those that are compiled at run time.
#include "base/types.hpp"

/// Its lines, and `kernel_arguments_text`, which has them as a string (without comments, in one line).
#define TESSERA_ALSO_AS_TEXT(...) \
  __VA_ARGS__                     \
  inline constexpr const char kernel_arguments_text[] = #__VA_ARGS__;

namespace tessera::deck::expressions {

TESSERA_ALSO_AS_TEXT(
    enum {
        most_variables = 16,  //
        most_roots = 32,      // of one kernel
        kernel_block = 256    // threads
    };

    /// Values of a variable: that of point i is values[i * stride], or `value` for all points where there are none.
    struct KernelInput {
      const double* values;
      long long stride;
      double value;
    };

    /// Where the values of an expression go: that of point i to values[place * stride].
    struct KernelOutput {
      double* values;
      long long stride;
    };

    /// Point i has place first + i, or with a list of cells place cells[i / per_cell] * per_cell + i % per_cell.
    /// bad[root] becomes the least place whose value is not finite.
    struct KernelArguments {
      KernelInput inputs[most_variables];
      KernelOutput outputs[most_roots];
      const int* cells;
      int per_cell;
      int count;
      long long first;
      unsigned long long* bad;
    };

    TESSERA_HD inline double input_of(const KernelInput& input, int i) {
      return input.values ? input.values[i * input.stride] : input.value;
    }

    TESSERA_HD inline long long place_of(const KernelArguments& arguments, int i) {
      if (!arguments.cells) return arguments.first + i;
      const unsigned n = static_cast<unsigned>(arguments.per_cell);
      const unsigned cell = static_cast<unsigned>(i) / n;
      return static_cast<long long>(arguments.cells[cell]) * n + (static_cast<unsigned>(i) - cell * n);
    }

    /// Whether the value is finite.
    TESSERA_HD inline bool store(const KernelOutput& output, long long place, double value) {
      output.values[place * output.stride] = value;
      return value - value == 0.0;
    })

}  // namespace tessera::deck::expressions

#undef TESSERA_ALSO_AS_TEXT
