#pragma once
// The operations of expressions on arrays, with the vector instructions of the machine the build is for.
#include <cstddef>

#include "deck/expression/operations.hpp"

namespace tessera::deck::expressions {

/// Numbers that are worked on at a time, at most: arrays of loops have a multiple of this many and begin at a multiple
/// of as many bytes.
constexpr std::size_t vector_length = 8;
constexpr std::size_t vector_alignment = 64;

/// result[i] = op(a[i], b[i], c[i]) for 0 <= i < count. Operands that the operation does not have may be any array. The
/// result is none of the operands. What stands in one place does not depend on the others.
using Loop = void (*)(std::size_t count, const double* a, const double* b, const double* c, double* result);

/// An operation on numbers, by the standard library, and on arrays: there within 1 ulp of the true value (erfc: 1.5;
/// subnormal ones: 2; without SLEEF what the standard library has), and exactly the standard library's where that is
/// infinite or NaN.
struct Kernel {
  double (*value)(double a, double b, double c) = nullptr;
  Loop loop = nullptr;
};
const Kernel& kernel(Op op);

/// to[i] = value for 0 <= i < count, a multiple of vector_length.
void fill(double value, std::size_t count, double* to);

/// to[i] = from[i * stride], and the last of them again up to the next multiple of vector_length.
void gather(const double* from, std::size_t stride, std::size_t count, double* to);

/// "SLEEF, 8 numbers at a time", or "the standard library".
const char* vector_library();

}  // namespace tessera::deck::expressions
