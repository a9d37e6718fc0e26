// Compiled without errno, traps and fused multiply-adds (deck/CMakeLists.txt), so that plain loops become vector
// instructions with the values of the scalar ones.
#include "deck/expression/vector_math.hpp"

#include <array>
#include <cmath>

#ifdef TESSERA_HAVE_SLEEF
#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif
#include <sleef.h>
#endif

namespace tessera::deck::expressions {

namespace {

/// F, a function without a state, of its one, two or three arguments.
template <class F>
double value_of(double a, double b, double c) {
  if constexpr (requires { F{}(a, b, c); })
    return F{}(a, b, c);
  else if constexpr (requires { F{}(a, b); })
    return F{}(a, b);
  else
    return F{}(a);
}

template <class F>
void plain_loop(std::size_t count, const double* a, const double* b, const double* c, double* result) {
  for (std::size_t i = 0; i < count; i += vector_length)
#pragma omp simd
    for (std::size_t lane = i; lane < i + vector_length; ++lane) result[lane] = value_of<F>(a[lane], b[lane], c[lane]);
}

/// A function that the compiler turns into vector instructions, or that has none.
template <class F>
Kernel plain(F) {
  return {value_of<F>, plain_loop<F>};
}

#ifdef TESSERA_HAVE_SLEEF

// SLEEF's functions carry the width and the instruction set in their names: Sleef_sind4_u10avx2.
#if defined(__AVX512F__)
using Vector = __m512d;
#define TESSERA_SLEEF(name, bound) Sleef_##name##d8_##bound##avx512f
constexpr const char* library_name = "SLEEF, 8 numbers at a time";
#elif defined(__AVX2__) && defined(__FMA__)
using Vector = __m256d;
#define TESSERA_SLEEF(name, bound) Sleef_##name##d4_##bound##avx2
constexpr const char* library_name = "SLEEF, 4 numbers at a time";
#elif defined(__x86_64__)
using Vector = __m128d;
#define TESSERA_SLEEF(name, bound) Sleef_##name##d2_##bound##sse2
constexpr const char* library_name = "SLEEF, 2 numbers at a time";
#elif defined(__aarch64__)
using Vector = float64x2_t;
#define TESSERA_SLEEF(name, bound) Sleef_##name##d2_##bound##advsimd
constexpr const char* library_name = "SLEEF, 2 numbers at a time";
#endif
constexpr std::size_t width = sizeof(Vector) / sizeof(double);

/// A function of SLEEF on arrays. Some give up early at the ends of its range (sinh from 710 on, asinh from 1e154 on),
/// and they need not know every rule for infinities: values that are not finite are computed again by F.
template <class F, class OnVectors>
void vector_loop(std::size_t count, const double* a, const double* b, const double* c, double* result) {
  Vector nothing{};  // 0, or NaN where a value was not finite
  for (std::size_t i = 0; i < count; i += width) {
    const Vector x = *reinterpret_cast<const Vector*>(a + i);
    Vector y;
    if constexpr (requires { OnVectors{}(x, x); })
      y = OnVectors{}(x, *reinterpret_cast<const Vector*>(b + i));
    else
      y = OnVectors{}(x);
    *reinterpret_cast<Vector*>(result + i) = y;
    nothing += y - y;
  }
  bool finite = true;
  for (std::size_t lane = 0; lane < width; ++lane) finite &= nothing[lane] == 0;
  if (finite) return;
  for (std::size_t i = 0; i < count; ++i)
    if (!std::isfinite(result[i])) result[i] = value_of<F>(a[i], b[i], c[i]);
}

template <class F, class OnVectors>
Kernel by_vectors(F, OnVectors) {
  return {value_of<F>, vector_loop<F, OnVectors>};
}

#define TESSERA_FUNCTION1(name, bound) \
  by_vectors([](double a) { return std::name(a); }, [](Vector a) { return TESSERA_SLEEF(name, bound)(a); })
#define TESSERA_FUNCTION2(name, bound)                           \
  by_vectors([](double a, double b) { return std::name(a, b); }, \
             [](Vector a, Vector b) { return TESSERA_SLEEF(name, bound)(a, b); })

#else

constexpr const char* library_name = "the standard library";
#define TESSERA_FUNCTION1(name, bound) plain([](double a) { return std::name(a); })
#define TESSERA_FUNCTION2(name, bound) plain([](double a, double b) { return std::name(a, b); })

#endif

std::array<Kernel, static_cast<std::size_t>(Op::count)> make_kernels() {
  std::array<Kernel, static_cast<std::size_t>(Op::count)> table{};
  const auto of = [&](Op op) -> Kernel& { return table[static_cast<std::size_t>(op)]; };
  of(Op::negate) = plain([](double a) { return -a; });
  of(Op::add) = plain([](double a, double b) { return a + b; });
  of(Op::subtract) = plain([](double a, double b) { return a - b; });
  of(Op::multiply) = plain([](double a, double b) { return a * b; });
  of(Op::divide) = plain([](double a, double b) { return a / b; });
  of(Op::less) = plain([](double a, double b) { return a < b ? 1.0 : 0.0; });
  of(Op::greater) = plain([](double a, double b) { return a > b ? 1.0 : 0.0; });
  of(Op::less_equal) = plain([](double a, double b) { return a <= b ? 1.0 : 0.0; });
  of(Op::greater_equal) = plain([](double a, double b) { return a >= b ? 1.0 : 0.0; });
  of(Op::equal) = plain([](double a, double b) { return a == b ? 1.0 : 0.0; });
  of(Op::not_equal) = plain([](double a, double b) { return a != b ? 1.0 : 0.0; });
  of(Op::both) = plain([](double a, double b) { return ((a != 0) & (b != 0)) ? 1.0 : 0.0; });
  of(Op::either) = plain([](double a, double b) { return ((a != 0) | (b != 0)) ? 1.0 : 0.0; });
  of(Op::select) = plain([](double a, double b, double c) { return a != 0 ? b : c; });
  of(Op::min) = plain([](double a, double b) { return b < a ? b : a; });
  of(Op::max) = plain([](double a, double b) { return a < b ? b : a; });
  of(Op::sqrt) = plain([](double a) { return std::sqrt(a); });
  of(Op::abs) = plain([](double a) { return std::fabs(a); });
  of(Op::sign) = plain([](double a) { return a < 0 ? -1.0 : a > 0 ? 1.0 : 0.0; });
  of(Op::floor) = plain([](double a) { return std::floor(a); });
  of(Op::ceil) = plain([](double a) { return std::ceil(a); });
  of(Op::rint) = plain([](double a) { return std::rint(a); });
  of(Op::mod) = plain([](double a, double b) { return a - b * std::floor(a / b); });
  of(Op::sin) = TESSERA_FUNCTION1(sin, u10);
  of(Op::cos) = TESSERA_FUNCTION1(cos, u10);
  of(Op::tan) = TESSERA_FUNCTION1(tan, u10);
  of(Op::asin) = TESSERA_FUNCTION1(asin, u10);
  of(Op::acos) = TESSERA_FUNCTION1(acos, u10);
  of(Op::atan) = TESSERA_FUNCTION1(atan, u10);
  of(Op::sinh) = TESSERA_FUNCTION1(sinh, u10);
  of(Op::cosh) = TESSERA_FUNCTION1(cosh, u10);
  of(Op::tanh) = TESSERA_FUNCTION1(tanh, u10);
  of(Op::asinh) = TESSERA_FUNCTION1(asinh, u10);
  of(Op::acosh) = TESSERA_FUNCTION1(acosh, u10);
  of(Op::atanh) = TESSERA_FUNCTION1(atanh, u10);
  of(Op::exp) = TESSERA_FUNCTION1(exp, u10);
  of(Op::log) = TESSERA_FUNCTION1(log, u10);
  of(Op::log2) = TESSERA_FUNCTION1(log2, u10);
  of(Op::log10) = TESSERA_FUNCTION1(log10, u10);
  of(Op::cbrt) = TESSERA_FUNCTION1(cbrt, u10);
  of(Op::erf) = TESSERA_FUNCTION1(erf, u10);
  of(Op::erfc) = TESSERA_FUNCTION1(erfc, u15);
  of(Op::power) = TESSERA_FUNCTION2(pow, u10);
  of(Op::atan2) = TESSERA_FUNCTION2(atan2, u10);
  of(Op::hypot) = TESSERA_FUNCTION2(hypot, u05);
  return table;
}

}  // namespace

const Kernel& kernel(Op op) {
  static const auto table = make_kernels();
  return table[static_cast<std::size_t>(op)];
}

void fill(double value, std::size_t count, double* to) {
  for (std::size_t i = 0; i < count; i += vector_length)
#pragma omp simd
    for (std::size_t lane = i; lane < i + vector_length; ++lane) to[lane] = value;
}

void gather(const double* from, std::size_t stride, std::size_t count, double* to) {
  if (count == 1) return fill(*from, vector_length, to);
  if (stride == 3)  // points [count, 3]: with a stride it knows, the compiler finds instructions
    for (std::size_t i = 0; i < count; ++i) to[i] = from[3 * i];
  else
    for (std::size_t i = 0; i < count; ++i) to[i] = from[stride * i];
  for (std::size_t i = count; i % vector_length != 0; ++i) to[i] = to[count - 1];
}

const char* vector_library() { return library_name; }

}  // namespace tessera::deck::expressions
