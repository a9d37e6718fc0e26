#pragma once
// Bodies of interleave.hpp: interleave_threads.cpp and interleave_cuda.cu instantiate them.
#include "base/parallel.hpp"
#include "linalg/interleave.hpp"

namespace tessera::linalg {

template <class Exec>
Crs<typename Exec::Space> interleaved_pattern(Exec& exec, const CrsView<const double>& of_one, int components) {
  using Space = typename Exec::Space;
  Crs<Space> all;
  all.rows = of_one.rows * components;
  all.cols = of_one.cols * components;
  all.row_ptr = Array<Offset, Space>(Offset{all.rows} + 1);
  all.col_ind = Array<Index, Space>(of_one.col_ind.size() * components);
  all.values = Array<double, Space>(all.col_ind.size());
  const View<Offset> row_ptr = all.row_ptr;
  const View<Index> col_ind = all.col_ind;
  const View<double> values = all.values;
  const CrsView<const double> one = of_one;
  // Row (i, c) begins behind those of the nodes before and of the components before.
  for_each(exec, Offset{one.rows} + 1, [=] TESSERA_HD(Offset i) {
    const Offset first = one.row_ptr[i];
    if (i == one.rows) {
      row_ptr[i * components] = first * components;
      return;
    }
    const Offset length = one.row_ptr[i + 1] - first;
    for (int c = 0; c < components; ++c) {
      const Offset begin = first * components + c * length;
      row_ptr[i * components + c] = begin;
      for (Offset k = 0; k < length; ++k) {
        col_ind[begin + k] = one.col_ind[first + k] * components + c;
        values[begin + k] = 0;
      }
    }
  });
  return all;
}

template <class Exec>
void set_component(Exec& exec, const CrsView<const double>& of_one, int c, int components,
                   Crs<typename Exec::Space>& all) {
  const CrsView<const double> one = of_one;
  const View<double> values = all.values;
  for_each(exec, one.rows, [=] TESSERA_HD(Offset i) {
    const Offset first = one.row_ptr[i], length = one.row_ptr[i + 1] - first;
    const Offset begin = first * components + c * length;
    for (Offset k = 0; k < length; ++k) values[begin + k] = one.values[first + k];
  });
}

template <class Exec>
void set_component(Exec& exec, View<const double> x, int c, int components, View<double> y) {
  for_each(exec, x.size(), [=] TESSERA_HD(Offset i) { y[i * components + c] = x[i]; });
}

}  // namespace tessera::linalg
