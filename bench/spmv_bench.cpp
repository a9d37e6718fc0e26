// y = A x in every format on finite-element matrices, against Eigen (threads) and cuSPARSE (CUDA) in the same process.
// What each format's product must equal is that of CRS in the same run.
#include <fmt/format.h>

#include "assembly/space/sparsity.hpp"
#include "bench/support/meshes.hpp"
#include "bench/support/spmv_peers.hpp"
#include "bench/support/stencils.hpp"
#include "linalg/block_sliced_ell.hpp"
#include "linalg/cmrs.hpp"
#include "linalg/ell.hpp"
#include "linalg/packed_ell.hpp"
#include "linalg/spmv.hpp"
#include "mesh/box.hpp"
#include "mesh/params.hpp"

using namespace tessera;

namespace {

/// Cells in each direction for Cuda, Threads, and --quick; of the ball, how often its mesh is refined.
struct Case {
  const char* name;
  const char* shape;
  int order;
  int cuda, threads, quick;
  Offset window = 1;  ///< of a random renumbering; 1: none
};
constexpr Case cases[] = {
    {"P1 tet", "tet", 1, 255, 100, 40},
    {"Q1 hex", "hex", 1, 199, 80, 30},
    {"P2 tet", "tet", 2, 80, 40, 16},
    {"P1 triangle", "triangle", 1, 3000, 1000, 200},
    {"P1 tet shuffled by 4096", "tet", 1, 255, 100, 40, 4096},
    {"P1 tet shuffled", "tet", 1, 160, 100, 40, 0},
    {"P1 tet, ball", "ball", 1, 3, 2, 0},
    {"P1 tet, ball shuffled", "ball", 1, 3, 2, 0, 0},
};

bool is_ball(const Case& c) { return c.shape == std::string("ball"); }

/// Size of the ball's cells before refinement.
constexpr double ball_size = 0.066;

/// The matrix of a case on the host. Quadratic elements and the ball come from a mesh, linear elements on boxes
/// directly.
linalg::Crs<Host> make_matrix(const Case& c, int n, int threads) {
  const bool ball = is_ball(c);
  if (c.order == 1 && !ball) {
    linalg::Crs<Host> A = bench::stencil_matrix(c.shape, n);
    return c.window == 1 ? std::move(A) : bench::shuffled(A, c.window);
  }
  mesh::BoxParams box;
  box.shape = ball ? "tet" : c.shape;
  box.cells.assign(3, n);
  const mesh::Mesh mesh = ball ? bench::ball(ball_size, n, c.window == 0) : mesh::make_box(box);
  const assembly::DofMap dofs = assembly::make_dof_map(mesh, c.order, threads);
  Threads exec(threads);
  linalg::Crs<Host> A = assembly::make_sparsity(exec, dofs);
  for (Offset k = 0; k < A.nnz(); ++k) A.values[k] = bench::random_value(static_cast<std::uint64_t>(k));
  return A;
}

template <class Space, class T>
Array<T, Space> in_space(Array<T> from) {
  if constexpr (std::is_same_v<Space, Host>) {
    return from;
  } else {
    Array<T, Space> to(from.size());
    copy(from, to);
    return to;
  }
}

template <class Space>
linalg::Crs<Space> in_space(linalg::Crs<Host> A) {
  return {A.rows, A.cols, in_space<Space>(std::move(A.row_ptr)), in_space<Space>(std::move(A.col_ind)),
          in_space<Space>(std::move(A.values))};
}

/// Blocks of several unknowns a node on linear tets: cells in each direction as in Case.
struct BlockCase {
  const char* name;
  int block;
  int cuda, threads, quick;
};
constexpr BlockCase block_cases[] = {
    {"P1 tet, 3 x 3 blocks", 3, 127, 50, 16},
    {"P1 tet, 3 x 3 blocks, small", 3, 40, 20, 8},
    {"P1 tet, 2 x 2 blocks", 2, 127, 50, 16},
};

/// The pattern of linear tets with random symmetric blocks, those on the diagonal heavy.
template <class Space>
linalg::BlockCrs<Space> make_blocks(int block, int n) {
  linalg::Crs<Host> pattern = bench::stencil_matrix("tet", n);
  const int numbers = block * block;
  Array<double> values(pattern.nnz() * numbers);
  for (Index row = 0; row < pattern.rows; ++row)
    for (Offset k = pattern.row_ptr[row]; k < pattern.row_ptr[row + 1]; ++k) {
      const Index col = pattern.col_ind[k];
      const auto edge =
          static_cast<std::uint64_t>(std::min(row, col)) << 32 | static_cast<unsigned>(std::max(row, col));
      for (int i = 0; i < block; ++i)
        for (int j = 0; j < block; ++j)
          values[k * numbers + i * block + j] =
              bench::random_value(edge * 16 + static_cast<unsigned>(i * j + 4 * (i + j))) +
              (row == col && i == j ? 20 : 0);
    }
  return {pattern.rows * block,
          pattern.cols * block,
          block,
          in_space<Space>(std::move(pattern.row_ptr)),
          in_space<Space>(std::move(pattern.col_ind)),
          in_space<Space>(std::move(values))};
}

template <class Exec>
class SpmvBench {
  using Space = typename Exec::Space;

 public:
  SpmvBench(Exec& exec, const bench::Options& options)
      : exec_(exec),
        options_(options),
        report_("spmv", Exec::name, bench::device_name(exec), bench::copy_bandwidth(exec)) {}

  void run(const Case& c) {
    const int n = options_.quick ? c.quick : (std::is_same_v<Space, Device> ? c.cuda : c.threads);
    A_ = in_space<Space>(make_matrix(c, n, options_.threads));
    prepare(c.name);
    {
      const auto sliced = linalg::sliced_ell_from_crs(exec_, A_, {.window = 1});
      peers_ = bench::spmv_peers(exec_, A_, sliced, x_, y_);
    }
    add_crs(peers_.csr);
    const bench::Peer& sliced_peer = peers_.sliced.ms > 0 ? peers_.sliced : peers_.csr;
    add("ell", A_, sliced_peer, [&] { return linalg::ell_from_crs(exec_, A_); });
    add("sliced_ell", A_, sliced_peer, [&] { return linalg::sliced_ell_from_crs(exec_, A_); });
    add("packed_ell", A_, peers_.best(), [&] { return linalg::packed_ell_from_crs(exec_, A_); });
    add("cmrs", A_, peers_.csr, [&] { return linalg::cmrs_from_crs(exec_, A_, linalg::usual_cmrs<Exec>()); });
    if (peers_.sliced.difference > 1e-12 || peers_.csr.difference > 1e-12) wrong_ = true;
  }

  /// Block rows beside the same entries in the formats of scalars.
  void run(const BlockCase& c) {
    const int n = options_.quick ? c.quick : (std::is_same_v<Space, Device> ? c.cuda : c.threads);
    const auto blocks = make_blocks<Space>(c.block, n);
    A_ = linalg::to_crs(exec_, blocks);
    prepare(c.name);
    bench::Peer peer;
    try {
      peer = bench::block_peer(exec_, blocks, A_, x_, y_);
    } catch (const Error& error) {
      fmt::print("{:<34} {}\n", case_, error.what());
    }
    if (peer.difference > 1e-12) wrong_ = true;
    add_crs(peer);
    add("packed_ell", A_, peer, [&] { return linalg::packed_ell_from_crs(exec_, A_); });
    bench::Row row = start("block_crs", blocks.stored_bytes() + 8.0 * A_.rows + 8.0 * A_.cols, peer);
    row.timing = bench::measure(exec_, [&] { linalg::spmv(exec_, blocks.view(), x_, y_.view()); });
    const double differs = bench::difference(to_vector(y_), expected_);
    if (!(differs < 1e-12)) wrong_ = true;
    row.note = fmt::format("{:.2f} B/nnz, differs from crs by {:.0e}",
                           blocks.stored_bytes() / static_cast<double>(A_.nnz()), differs);
    report_.add(row);
    add("block_sliced_ell", blocks, peer, [&] { return linalg::block_sliced_ell_from_blocks(exec_, blocks); });
  }

  /// Whether all results agreed.
  bool finish() {
    report_.write(fmt::format("{}/spmv_{}.json", options_.out, Exec::name));
    return !wrong_;
  }

 private:
  /// Vectors, and the product of A_ in CRS that others are held against.
  void prepare(const char* name) {
    std::vector<double> values(static_cast<std::size_t>(A_.cols));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = bench::random_value(~i);
    x_ = to_space<Space>(values);
    y_ = Array<double, Space>(A_.rows);
    case_ = name;
    linalg::spmv(exec_, A_.view(), x_, y_.view());
    expected_ = to_vector(y_);
  }

  void add_crs(const bench::Peer& peer) {
    bench::Row row = start("crs", linalg::crs_bytes<double>(A_.rows, A_.cols, A_.nnz()), peer);
    row.timing = bench::measure(exec_, [&] { linalg::spmv(exec_, A_.view(), x_, y_.view()); });
    row.note = fmt::format("differs from the peer by {:.0e}", peer.difference);
    report_.add(row);
  }

  bench::Row start(const std::string& format, double bytes, const bench::Peer& peer) const {
    bench::Row row;
    row.name = fmt::format("{}, {}", case_, format);
    row.size = fmt::format("{} rows, {:.1f}/row", A_.rows, static_cast<double>(A_.nnz()) / A_.rows);
    row.bytes = bytes;
    row.items = static_cast<double>(A_.nnz());
    row.item = "non-zeros";
    row.peer = peer.name;
    row.peer_ms = peer.ms;
    return row;
  }

  /// Times conversion, refill and product of a format made from `source` and holds its result against CRS.
  template <class Source, class Make>
  void add(const std::string& format, const Source& source, const bench::Peer& peer, Make make) {
    try {
      make();  // allocations of the first call are not conversion
      const double convert = once([&] { make(); });
      auto M = make();
      const double refill = once([&] { linalg::assign_values(exec_, source, M); });
      bench::Row row = start(format, M.stored_bytes() + 8.0 * A_.rows + 8.0 * A_.cols, peer);
      const auto view = M.view();
      row.timing = bench::measure(exec_, [&] { linalg::spmv(exec_, view, x_, y_.view()); });
      const double differs = bench::difference(to_vector(y_), expected_);
      if (!(differs < 1e-12)) wrong_ = true;
      row.note =
          fmt::format("convert {:.1f} ms, refill {:.2f} ms, {:.2f} B/nnz, padding {:.1f}%, differs from crs by {:.0e}",
                      convert, refill, M.stored_bytes() / static_cast<double>(A_.nnz()),
                      100.0 * (static_cast<double>(M.entries()) / static_cast<double>(A_.nnz()) - 1), differs);
      report_.add(row);
    } catch (const Error& error) {
      fmt::print("{:<34} {}\n", fmt::format("{}, {}", case_, format), error.what());
    }
  }

  template <class Work>
  double once(Work work) {
    exec_.synchronize();
    const auto begin = std::chrono::steady_clock::now();
    work();
    exec_.synchronize();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  }

  Exec& exec_;
  const bench::Options& options_;
  bench::Report report_;
  linalg::Crs<Space> A_;
  Array<double, Space> x_, y_;
  std::vector<double> expected_;
  std::string case_;
  bench::SpmvPeers peers_;
  bool wrong_ = false;
};

}  // namespace

int main(int argc, char** argv) {
  const bench::Options options = bench::parse_options(argc, argv);
  bool right = true;
  bench::on_backends(options, [&](auto& exec) {
    SpmvBench bench(exec, options);
    for (const Case& c : cases)
      if (is_ball(c) ? options.takes_by_name(c.name) : options.takes(c.name)) bench.run(c);
    for (const BlockCase& c : block_cases)
      if (options.takes(c.name)) bench.run(c);
    right = bench.finish() && right;
  });
  if (!right) fmt::print(stderr, "error: results differ\n");
  return right ? 0 : 1;
}
