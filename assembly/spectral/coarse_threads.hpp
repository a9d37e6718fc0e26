#pragma once
// The cells of laws with coarse memory on the host. Sources that include it are compiled with -Wno-psabi, as
// lanes_threads.hpp says.
#include "assembly/spectral/cells_threads.hpp"
#include "assembly/spectral/coarse.hpp"

namespace tessera::assembly::spectral {
namespace host {

/// A batch of cells, of which some points remember their strain. Lanes beyond the last cell repeat it, and remember the
/// same.
template <int n, int dim, class Law, class T>
struct CoarseBatch : Batch<n, dim, forms::Unrelaxed<Law>, T> {
  using Base = Batch<n, dim, forms::Unrelaxed<Law>, T>;
  using Coarse = CoarseCell<n, dim, Law>;
  using Base::W, Base::C, Base::K, Base::block, Base::line;
  using typename Base::V;

  const CoarseView<T>& memory;

  CoarseBatch(const BlockView<T>& block, const FoldedLine<n, T>& line, const CoarseView<T>& memory)
      : Base(block, line), memory(memory) {}

  /// Slopes at point p, of place q of the lattice, become fluxes: of the strain e less what is remembered.
  void flux_of_point(int p, int q, const V (&inverse)[dim][dim], V weight, const V* k, V (&g)[C][dim]) const {
    V gradient[C][dim], e[Coarse::strains], s[C][dim], Y[Law::parts][mechanisms];
    for (int c = 0; c < C; ++c)
      for (int d = 0; d < dim; ++d) {
        gradient[c][d] = inverse[0][d] * g[c][0];
        for (int a = 1; a < dim; ++a) gradient[c][d] += inverse[a][d] * g[c][a];
      }
    const T ratio = Coarse::ratio(memory, p);
    for (int l = 0; l < Law::parts * mechanisms; ++l)
      Y[l / mechanisms][l % mechanisms] = ratio * this->coefficient(Law::moduli(dim) + l, q);
    Law::template strain<dim, V>(gradient, e);
    T* const z = memory.z + (this->number * Coarse::all + p) * W;
    for (int i = 0; i < Coarse::strains; ++i) {
      const V now = e[i];
      for (int l = 0; l < mechanisms; ++l) {
        T* const at = z + (l * Coarse::each + i * Coarse::points) * W;
        const V before = load<V>(at);
        e[i] -= Y[Law::part_of(i)][l] * (before + memory.now[l] * now);
        if (!memory.moves) continue;
        const V next = memory.kept[l] * before + memory.taken[l] * now;
        std::memcpy(at, &next, sizeof next);
      }
    }
    Law::template stress<dim, V>(k, e, s);
    for (int c = 0; c < C; ++c)
      for (int a = 0; a < dim; ++a) {
        V sum = inverse[a][0] * s[c][0];
        for (int d = 1; d < dim; ++d) sum += inverse[a][d] * s[c][d];
        g[c][a] = weight * sum;
      }
  }

  void apply() {
    V k[K];
    this->take_coefficients(0, k);
    const bool varies = block.place_stride != 0;
    const auto first_point = [](int j, int l) {
      const int row = coarse_number(n, j), layer = dim == 3 ? coarse_number(n, l) : 0;
      return row < 0 || layer < 0 ? -1 : (layer * Coarse::axis + row) * Coarse::axis;
    };
    const auto at_point = [this, varies, &k](int point, int i, int q, V(&inverse)[dim][dim], V weight, V(&g)[C][dim]) {
      if (varies) this->take_coefficients(q, k);
      const int in_row = coarse_number(n, i);
      if (point < 0 || in_row < 0) return scaled_flux<dim, forms::Unrelaxed<Law>, V>(inverse, weight, k, g);
      flux_of_point(point + in_row, q, inverse, weight, k, g);
    };
    if (block.map)
      this->apply_with([&](int j, int l) {
        return [this, jacobian = this->jacobian_of_row(j, l), of_row = this->weight_of_row(j, l),
                point = first_point(j, l), &at_point](int i, int q, V(&g)[C][dim]) {
          V J[dim][dim], adj[dim][dim];
          jacobian.at(line.points[i], J);
          const V det = matrix_free::adjugate<dim, V>(J, adj);
          V weight = (V{} + of_row * line.weights[i]) / det;
          if (point >= 0 && coarse_number(n, i) >= 0) {  // there J^-1 itself
            const V inverse = (V{} + T(1)) / det;
            for (auto& row : adj)
              for (V& entry : row) entry *= inverse;
            weight = of_row * line.weights[i] * det;
          }
          at_point(point, i, q, adj, weight, g);
        };
      });
    else
      this->apply_with([&](int j, int l) {
        return [this, j, l, point = first_point(j, l), &at_point](int i, int q, V(&g)[C][dim]) {
          V inverse[dim][dim];
          const V weight = this->inverse_at(i, j, l, q, inverse);
          at_point(point, i, q, inverse, weight, g);
        };
      });
  }
};

}  // namespace host

/// The element vector has the forces of the nodes of cells, of patches their sums at nodes that others have, and the
/// target those of all others; what points remember goes on.
template <class Law, class T>
void apply_coarse(Threads& exec, const Rule& rule, const BlockView<T>& block, const T* u, const CoarseView<T>& memory,
                  T* elements, const Target<T>& target) {
  on_lattice(block.dim, block.n, [&](auto dim, auto n) {
    using Cells = host::CoarseBatch<n(), dim(), Law, T>;
    const host::FoldedLine<n(), T> line(rule);
    host::apply_batches<Cells>(exec, block, u, elements, target,
                               [&] { return std::make_unique<Cells>(block, line, memory); });
  });
}

}  // namespace tessera::assembly::spectral
