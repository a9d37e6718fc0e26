// Every format x precision x backend against the plain product of the same matrix.
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "linalg/cmrs.hpp"
#include "linalg/ell.hpp"
#include "linalg/packed_ell.hpp"
#include "linalg/sliced_ell.hpp"
#include "linalg/vector_ops.hpp"
#include "support/backends.hpp"
#include "support/sparse_matrices.hpp"

namespace tessera {
namespace {

using linalg::Crs;
using testing::HostMatrix;

// A format with its parameters, as the tests make it from CRS.
struct EllFormat {
  template <class Exec, class T>
  static auto make(Exec& exec, const Crs<typename Exec::Space, T>& A) { return linalg::ell_from_crs(exec, A); }
};
template <int window>
struct SlicedFormat {
  template <class Exec, class T>
  static auto make(Exec& exec, const Crs<typename Exec::Space, T>& A) {
    return linalg::sliced_ell_from_crs(exec, A, {.window = window});
  }
};
struct PackedFormat {
  template <class Exec, class T>
  static auto make(Exec& exec, const Crs<typename Exec::Space, T>& A) { return linalg::packed_ell_from_crs(exec, A); }
};
template <int buffers, bool apart = false>
struct CmrsFormat {
  template <class Exec, class T>
  static auto make(Exec& exec, const Crs<typename Exec::Space, T>& A) {
    return linalg::cmrs_from_crs(exec, A, {.buffers = buffers, .rows_apart = apart});
  }
};

template <class ExecType, class FormatType, class T>
struct Case {
  using Exec = ExecType;
  using Format = FormatType;
  using Scalar = T;
};

template <class Exec>
using Cases = ::testing::Types<Case<Exec, EllFormat, double>, Case<Exec, SlicedFormat<1>, double>,
                               Case<Exec, SlicedFormat<0>, double>, Case<Exec, SlicedFormat<96>, double>,
                               Case<Exec, PackedFormat, double>, Case<Exec, CmrsFormat<2>, double>,
                               Case<Exec, CmrsFormat<4>, double>, Case<Exec, CmrsFormat<8>, double>,
                               Case<Exec, CmrsFormat<4, true>, double>, Case<Exec, EllFormat, float>,
                               Case<Exec, SlicedFormat<1>, float>, Case<Exec, SlicedFormat<64>, float>,
                               Case<Exec, PackedFormat, float>, Case<Exec, CmrsFormat<4>, float>,
                               Case<Exec, CmrsFormat<8, true>, float>>;

template <class T, class Space>
Crs<Space, T> matrix_in(const HostMatrix& host) {
  Crs<Space, T> A;
  A.rows = host.rows;
  A.cols = host.cols;
  A.row_ptr = to_space<Space>(host.row_ptr);
  A.col_ind = to_space<Space>(host.col_ind);
  A.values = to_space<Space>(std::vector<T>(host.values.begin(), host.values.end()));
  return A;
}

template <class T>
std::vector<T> vector_of(Offset size, unsigned seed) {
  const auto values = testing::random_vector(size, seed);
  return {values.begin(), values.end()};
}

/// A x in double, with |A| |x|, the scale of its rounding errors.
template <class T>
void reference(const HostMatrix& A, const std::vector<T>& x, std::vector<double>& y, std::vector<double>& scale) {
  y.assign(static_cast<std::size_t>(A.rows), 0);
  scale = y;
  for (Index row = 0; row < A.rows; ++row)
    for (Offset k = A.row_ptr[row]; k < A.row_ptr[row + 1]; ++k) {
      const double term = static_cast<double>(static_cast<T>(A.values[k])) * x[A.col_ind[k]];
      y[row] += term;
      scale[row] += std::abs(term);
    }
}

template <class C>
struct Formats : ::testing::Test {
  using Exec = typename C::Exec;
  using T = typename C::Scalar;
  using Space = typename Exec::Space;

  /// How far a row of `length` terms may be from its exact sum.
  static double tolerance(Offset length) { return (8 + static_cast<double>(length)) * std::numeric_limits<T>::epsilon(); }

  /// The matrix in the format, or nothing where the format refuses to pad that much.
  template <class Check>
  static void with_format(Exec& exec, const Crs<Space, T>& A, Check check) {
    try {
      const auto M = C::Format::template make<Exec, T>(exec, A);
      check(M);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::usage);
      EXPECT_NE(error.help().find("sliced_ell"), std::string::npos) << error.what();
    }
  }
};

#define FORMAT_SUITE(Name, Exec)                                  \
  template <class C>                                              \
  struct Name : Formats<C> {};                                    \
  TYPED_TEST_SUITE(Name, Cases<Exec>)

template <class C>
void products_equal_the_reference() {
  using Base = Formats<C>;
  using T = typename Base::T;
  using Space = typename Base::Space;
  typename Base::Exec exec;
  for (const auto& [name, host] : testing::matrices_of_many_shapes()) {
    SCOPED_TRACE(name);
    const auto A = matrix_in<T, Space>(host);
    const auto x = vector_of<T>(A.cols, 11), b = vector_of<T>(A.rows, 12);
    std::vector<double> expected, scale;
    reference(host, x, expected, scale);
    const auto device_x = to_space<Space>(x), device_b = to_space<Space>(b);
    Base::with_format(exec, A, [&](const auto& M) {
      Array<T, Space> y(A.rows), r(A.rows), q(A.rows);
      Array<double, Space> sums(2);
      linalg::spmv(exec, M.view(), device_x, y.view());
      linalg::residual(exec, M.view(), device_x, device_b, r.view(), sums.data());
      if (A.rows == A.cols) linalg::spmv_dot(exec, M.view(), device_x, q.view(), sums.data() + 1);
      const auto found = to_vector(y), found_r = to_vector(r), found_q = to_vector(q);
      const auto found_sums = to_vector(sums);
      double rr = 0, pq = 0, pq_scale = 0;
      for (std::size_t row = 0; row < found.size(); ++row) {
        const double tolerance = Base::tolerance(host.row_ptr[row + 1] - host.row_ptr[row]);
        ASSERT_NEAR(found[row], expected[row], tolerance * scale[row]) << "row " << row;
        ASSERT_NEAR(found_r[row], b[row] - expected[row], tolerance * (scale[row] + std::abs(b[row]))) << "row " << row;
        rr += static_cast<double>(found_r[row]) * found_r[row];
        if (A.rows != A.cols) continue;
        ASSERT_EQ(found_q[row], found[row]) << "row " << row;
        pq += static_cast<double>(x[row]) * found[row];
        pq_scale += std::abs(static_cast<double>(x[row]) * found[row]);
      }
      EXPECT_NEAR(found_sums[0], rr, 1e-12 * rr);
      if (A.rows == A.cols) {
        EXPECT_NEAR(found_sums[1], pq, 1e-12 * pq_scale);
      }
    });
  }
}

template <class C>
void going_back_gives_every_entry() {
  using Base = Formats<C>;
  using T = typename Base::T;
  using Space = typename Base::Space;
  typename Base::Exec exec;
  for (const auto& [name, host] : testing::matrices_of_many_shapes()) {
    SCOPED_TRACE(name);
    const auto A = matrix_in<T, Space>(host);
    Base::with_format(exec, A, [&](const auto& M) {
      const auto back = linalg::to_crs(exec, M);
      EXPECT_EQ(back.rows, A.rows);
      EXPECT_EQ(back.cols, A.cols);
      EXPECT_EQ(to_vector(back.row_ptr), to_vector(A.row_ptr));
      EXPECT_EQ(to_vector(back.col_ind), to_vector(A.col_ind));
      EXPECT_EQ(to_vector(back.values), to_vector(A.values));
    });
  }
}

template <class C>
void refilling_equals_converting() {
  using Base = Formats<C>;
  using T = typename Base::T;
  using Space = typename Base::Space;
  typename Base::Exec exec;
  for (const auto& [name, host] : testing::matrices_of_many_shapes()) {
    SCOPED_TRACE(name);
    const auto A = matrix_in<T, Space>(host);
    HostMatrix others = host;
    for (double& value : others.values) value = 1 - 2 * value;
    const auto B = matrix_in<T, Space>(others);
    Base::with_format(exec, A, [&](const auto&) {
      auto M = C::Format::template make<typename Base::Exec, T>(exec, A);
      linalg::assign_values(exec, B, M);
      const auto fresh = C::Format::template make<typename Base::Exec, T>(exec, B);
      EXPECT_EQ(to_vector(M.values), to_vector(fresh.values));
    });
  }
}

template <class C>
void diagonal_is_that_of_crs() {
  using Base = Formats<C>;
  using T = typename Base::T;
  using Space = typename Base::Space;
  typename Base::Exec exec;
  for (const auto& [name, host] : testing::matrices_of_many_shapes()) {
    if (host.rows != host.cols) continue;
    SCOPED_TRACE(name);
    const auto A = matrix_in<T, Space>(host);
    Array<T, Space> expected(A.rows), found(A.rows);
    linalg::extract_diagonal(exec, A.view(), expected.view());
    Base::with_format(exec, A, [&](const auto& M) {
      linalg::extract_diagonal(exec, M.view(), found.view());
      EXPECT_EQ(to_vector(found), to_vector(expected));
    });
  }
}

/// Entries of x that no row names may be infinite or no numbers: padding is never multiplied.
template <class C>
void padding_is_never_multiplied() {
  using Base = Formats<C>;
  using T = typename Base::T;
  using Space = typename Base::Space;
  typename Base::Exec exec;
  HostMatrix host = testing::random_matrix(333, 333, 9, 5);
  for (Index& col : host.col_ind)
    if (col == 0 || col == 332) col = 1;  // (repeats a column: the sum is the same)
  std::vector<T> x(333, T{1});
  x.front() = std::numeric_limits<T>::quiet_NaN();
  x.back() = std::numeric_limits<T>::infinity();
  const auto A = matrix_in<T, Space>(host);
  const auto device_x = to_space<Space>(x);
  Base::with_format(exec, A, [&](const auto& M) {
    Array<T, Space> y(A.rows);
    linalg::spmv(exec, M.view(), device_x, y.view());
    for (T value : to_vector(y)) ASSERT_TRUE(std::isfinite(value));
  });
}

template <class C>
void products_repeat_bitwise() {
  using Base = Formats<C>;
  using T = typename Base::T;
  using Space = typename Base::Space;
  const auto A = matrix_in<T, Space>(testing::random_matrix(7000, 7000, 25, 3));
  const auto p = to_space<Space>(vector_of<T>(A.rows, 5));
  std::vector<T> first;
  double first_sum = 0;
  for (int round = 0; round < 3; ++round) {
    typename Base::Exec exec;
    Base::with_format(exec, A, [&](const auto& M) {
      Array<T, Space> q(A.rows);
      Array<double, Space> pq(1);
      linalg::spmv_dot(exec, M.view(), p, q.view(), pq.data());
      if (round == 0) first = to_vector(q), first_sum = to_vector(pq)[0];
      EXPECT_EQ(to_vector(q), first);
      EXPECT_EQ(to_vector(pq)[0], first_sum);
    });
  }
}

#define FORMAT_TESTS(Suite)                                                                                         \
  TYPED_TEST(Suite, ProductsEqualTheReference) { TESSERA_REQUIRE(typename TypeParam::Exec); products_equal_the_reference<TypeParam>(); } \
  TYPED_TEST(Suite, GoingBackGivesEveryEntry) { TESSERA_REQUIRE(typename TypeParam::Exec); going_back_gives_every_entry<TypeParam>(); }  \
  TYPED_TEST(Suite, RefillingEqualsConverting) { TESSERA_REQUIRE(typename TypeParam::Exec); refilling_equals_converting<TypeParam>(); }  \
  TYPED_TEST(Suite, DiagonalIsThatOfCrs) { TESSERA_REQUIRE(typename TypeParam::Exec); diagonal_is_that_of_crs<TypeParam>(); }            \
  TYPED_TEST(Suite, PaddingIsNeverMultiplied) { TESSERA_REQUIRE(typename TypeParam::Exec); padding_is_never_multiplied<TypeParam>(); }   \
  TYPED_TEST(Suite, ProductsRepeatBitwise) { TESSERA_REQUIRE(typename TypeParam::Exec); products_repeat_bitwise<TypeParam>(); }

FORMAT_SUITE(FormatsThreads, Threads);
FORMAT_TESTS(FormatsThreads)
#ifdef TESSERA_HAVE_CUDA
FORMAT_SUITE(FormatsCuda, Cuda);
FORMAT_TESTS(FormatsCuda)
#endif

template <class C>
struct FormatsAndThreads : Formats<C> {};
TYPED_TEST_SUITE(FormatsAndThreads, Cases<Threads>);

TYPED_TEST(FormatsAndThreads, NumberOfThreadsDoesNotMatter) {
  using T = typename TypeParam::Scalar;
  const auto A = matrix_in<T, Host>(testing::random_matrix(20000, 20000, 25, 9));
  const auto p = to_space<Host>(vector_of<T>(A.rows, 5));
  std::vector<T> first, first_values;
  double first_sum = 0;
  for (int threads : {1, 2, 3, 7}) {
    Threads exec(threads);
    this->with_format(exec, A, [&](const auto& M) {
      Array<T> q(A.rows);
      double pq = 0;
      linalg::spmv_dot(exec, M.view(), p, q.view(), &pq);
      if (threads == 1) first = to_vector(q), first_sum = pq, first_values = to_vector(M.values);
      EXPECT_EQ(to_vector(q), first) << threads;
      EXPECT_EQ(pq, first_sum) << threads;
      EXPECT_EQ(to_vector(M.values), first_values) << threads;
    });
  }
}

// What the book prints for its matrix (6.1).
HostMatrix book_matrix() {
  HostMatrix A;
  A.rows = A.cols = 5;
  A.row_ptr = {0, 2, 4, 6, 9, 10};
  A.col_ind = {0, 3, 1, 4, 2, 4, 2, 3, 4, 4};
  A.values = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  return A;
}

TEST(Ell, IsThatOfTheBook) {
  Threads exec;
  const auto M = linalg::ell_from_crs(exec, book_matrix().to<Host>());
  EXPECT_EQ(M.columns, 3);
  EXPECT_EQ(to_vector(M.values), (std::vector<double>{1, 3, 5, 7, 10, 2, 4, 6, 8, 0, 0, 0, 0, 9, 0}));
  EXPECT_EQ(to_vector(M.col_ind), (std::vector<Index>{0, 1, 2, 2, 4, 3, 4, 4, 3, -1, -1, -1, -1, 4, -1}));
}

TEST(Ell, RefusesToPadWithoutEnd) {
  Threads exec;
  HostMatrix A;
  A.rows = A.cols = 50000;
  for (Index row = 0; row < A.rows; ++row) {
    for (Index col = 0; col < (row == 777 ? A.cols : 1); ++col) A.add(col, 1);
    A.end_row();
  }
  const auto crs = A.to<Host>();
  try {
    linalg::ell_from_crs(exec, crs);
    FAIL() << "50000 x 50000 entries were stored";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    EXPECT_NE(std::string(error.what()).find("the longest has 50000"), std::string::npos) << error.what();
    EXPECT_NE(error.help().find("sliced_ell"), std::string::npos);
  }
  EXPECT_NO_THROW(linalg::sliced_ell_from_crs(exec, crs));
}

TEST(SlicedEll, SortingRowsLessensThePadding) {
  Threads exec;
  const auto A = testing::random_matrix(5000, 5000, 60, 3).to<Host>();
  const auto plain = linalg::sliced_ell_from_crs(exec, A, {.window = 1});
  const auto sorted = linalg::sliced_ell_from_crs(exec, A, {.window = 1024});
  const auto chosen = linalg::sliced_ell_from_crs(exec, A);
  EXPECT_TRUE(plain.row_of.empty());
  EXPECT_LT(static_cast<double>(sorted.entries()), 1.1 * static_cast<double>(A.nnz()));
  EXPECT_GT(static_cast<double>(plain.entries()), 1.5 * static_cast<double>(A.nnz()));
  EXPECT_EQ(chosen.entries(), sorted.entries());
}

TEST(Cmrs, NoTwoLanesOfAChunkAddToTheSameSum) {
  Threads exec;
  const auto A = testing::random_matrix(3000, 3000, 40, 8).to<Host>();
  for (Index buffers : {2, 4, 8}) {
    const auto M = linalg::cmrs_from_crs(exec, A, {.buffers = buffers});
    const auto a = M.view();
    for (Offset chunk = 0; chunk < M.entries(); chunk += linalg::strip_chunk) {
      std::vector<bool> taken(static_cast<std::size_t>(linalg::strip_height * buffers));
      for (Offset lane = 0; lane < linalg::strip_chunk; ++lane) {
        if (a.is_padding(chunk + lane)) continue;
        const auto sum = static_cast<std::size_t>(a.strip_row(chunk + lane) * buffers + lane % buffers);
        ASSERT_FALSE(taken[sum]) << "M = " << buffers << ", chunk at " << chunk << ", lane " << lane;
        taken[sum] = true;
      }
    }
    if (buffers == 8) {
      EXPECT_LT(static_cast<double>(M.entries()), 1.2 * static_cast<double>(A.nnz()));
    }
  }
}

TEST(Cmrs, RefusesOtherNumbersOfBuffers) {
  Threads exec;
  const auto A = book_matrix().to<Host>();
  for (Index buffers : {0, 1, 3, 5, 6, 7, 16}) EXPECT_THROW(linalg::cmrs_from_crs(exec, A, {.buffers = buffers}), Error);
}

TEST(PackedEll, AGridTakesAQuarterOfAByteForAColumn) {
  Threads exec;
  const auto A = testing::laplacian(64, 3).to<Host>();
  const auto M = linalg::packed_ell_from_crs(exec, A);
  EXPECT_LT(static_cast<double>(M.words.bytes()), 0.3 * static_cast<double>(A.nnz()));
  EXPECT_LT(static_cast<double>(M.entries()), 1.05 * static_cast<double>(A.nnz()));
}

TEST(PackedEll, ColumnsFarApartEscapeTo32Bits) {
  Threads exec;
  HostMatrix A;  // rows of one slice reach columns 0 and 100000 in turns, other slices stay near
  A.rows = 96;
  A.cols = 200000;
  for (Index row = 0; row < A.rows; ++row) {
    A.add(row < 32 ? (row * 7919) % 200000 : 1000 + (row * 37) % 64, 1.0 + row);
    A.end_row();
  }
  const auto M = linalg::packed_ell_from_crs(exec, A.to<Host>());
  EXPECT_EQ(M.view().code(0), linalg::ColumnCode::columns);
  EXPECT_EQ(M.view().code(1), linalg::ColumnCode::deltas);
  EXPECT_EQ(to_vector(linalg::to_crs(exec, M).col_ind), A.col_ind);
}

TEST(Formats, ARefillFromAnotherPatternIsRefused) {
  Threads exec;
  auto M = linalg::ell_from_crs(exec, testing::laplacian(5, 2).to<Host>());
  EXPECT_THROW(linalg::assign_values(exec, testing::laplacian(6, 2).to<Host>(), M), Error);
}

}  // namespace
}  // namespace tessera
