// y = A x in every format on finite-element matrices, against Eigen (threads) and cuSPARSE (CUDA) in the same process. What
// each format's product must equal is that of CRS in the same run.
#include <fmt/format.h>

#include "assembly/space/sparsity.hpp"
#include "bench/support/meshes.hpp"
#include "bench/support/spmv_peers.hpp"
#include "bench/support/stencils.hpp"
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

/// The matrix of a case on the host. Quadratic elements and the ball come from a mesh, linear elements on boxes directly.
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

template <class Space>
linalg::Crs<Space> in_space(linalg::Crs<Host> A) {
  if constexpr (std::is_same_v<Space, Host>) {
    return A;
  } else {
    linalg::Crs<Space> B;
    B.rows = A.rows;
    B.cols = A.cols;
    auto moved = [](auto from) {
      Array<std::remove_reference_t<decltype(from[0])>, Space> to(from.size());
      copy(from, to);
      return to;
    };
    B.row_ptr = moved(std::move(A.row_ptr));
    B.col_ind = moved(std::move(A.col_ind));
    B.values = moved(std::move(A.values));
    return B;
  }
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
    std::vector<double> values(static_cast<std::size_t>(A_.cols));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = bench::random_value(~i);
    x_ = to_space<Space>(values);
    y_ = Array<double, Space>(A_.rows);
    case_ = c.name;
    linalg::spmv(exec_, A_.view(), x_, y_.view());
    expected_ = to_vector(y_);
    {
      const auto sliced = linalg::sliced_ell_from_crs(exec_, A_, {.window = 1});
      peers_ = bench::spmv_peers(exec_, A_, sliced, x_, y_);
    }
    bench::Row row = start("crs", linalg::crs_bytes<double>(A_.rows, A_.cols, A_.nnz()), peers_.csr);
    row.timing = bench::measure(exec_, [&] { linalg::spmv(exec_, A_.view(), x_, y_.view()); });
    row.note = fmt::format("differs from the peer by {:.0e}", peers_.csr.difference);
    report_.add(row);
    const bench::Peer& sliced_peer = peers_.sliced.ms > 0 ? peers_.sliced : peers_.csr;
    add("ell", sliced_peer, [&] { return linalg::ell_from_crs(exec_, A_); });
    add("sliced_ell", sliced_peer, [&] { return linalg::sliced_ell_from_crs(exec_, A_); });
    add("packed_ell", peers_.best(), [&] { return linalg::packed_ell_from_crs(exec_, A_); });
    add("cmrs", peers_.csr, [&] { return linalg::cmrs_from_crs(exec_, A_, linalg::usual_cmrs<Exec>()); });
    if (peers_.sliced.difference > 1e-12 || peers_.csr.difference > 1e-12) wrong_ = true;
  }

  /// Whether all results agreed.
  bool finish() {
    report_.write(fmt::format("{}/spmv_{}.json", options_.out, Exec::name));
    return !wrong_;
  }

 private:
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

  /// Times conversion, refill and product of a format and holds its result against CRS.
  template <class Make>
  void add(const std::string& format, const bench::Peer& peer, Make make) {
    try {
      make();  // allocations of the first call are not conversion
      const double convert = once([&] { make(); });
      auto M = make();
      const double refill = once([&] { linalg::assign_values(exec_, A_, M); });
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
    right = bench.finish() && right;
  });
  if (!right) fmt::print(stderr, "error: results differ\n");
  return right ? 0 : 1;
}
