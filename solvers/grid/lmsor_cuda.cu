#include "solvers/grid/lmsor_cuda.hpp"

#include "solvers/grid/lmsor_impl.hpp"

namespace tessera::solvers::grid::lmsor {

namespace {

/// Passes of `count` iterations, at most `blocking` each: an even number, so that the last one ends where the first
/// began.
int passes_of(int count, int blocking) {
  const int passes = (count + blocking - 1) / blocking;
  return passes + passes % 2;
}

}  // namespace

template <class T>
void prepare_sweeps(Cuda&, Relaxation<Cuda, T>& relaxation) {
  const Layout& layout = relaxation.fields.layout;
  const Choices& choices = relaxation.choices;
  Offset partial = 2 * half_iteration_blocks(layout, choices);
  if (choices.blocking > 1) partial = std::max(partial, blocked_pass_blocks(layout, choices.blocking));
  relaxation.partial = Array<Sums<2>, Device>(partial);
  if (choices.access != Access::texture) return;
  for (int colour = 0; colour < 2; ++colour)
    relaxation.texture[colour] = make_texture<T>(relaxation.u.data() + colour * layout.size, layout.size);
}

template <class T>
void sweep(Cuda& exec, Relaxation<Cuda, T>& relaxation, int count, bool with_norms) {
  Offset partial = 0;
  if (relaxation.choices.blocking == 1 || count == 1) {
    for (int half = 0; half < 2 * count; ++half)
      half_iteration(exec, relaxation, half % 2, with_norms && half >= 2 * count - 2);
    partial = 2 * half_iteration_blocks(relaxation.fields.layout, relaxation.choices);
  } else {
    T *from = relaxation.u.data(), *to = relaxation.spare.data();
    for (int passes = passes_of(count, relaxation.choices.blocking); passes > 0; --passes) {
      const int iterations = (count + passes - 1) / passes;
      blocked_pass(exec, relaxation, from, to, iterations, with_norms && passes == 1);
      count -= iterations;
      std::swap(from, to);
      partial = blocked_pass_blocks(relaxation.fields.layout, iterations);
    }
  }
  if (!with_norms) return;
  const View<const Sums<2>> sums = relaxation.partial.view();
  double* norms = relaxation.norms.data();
  reduce_pair(
      exec, partial,
      [=] TESSERA_HD(Offset block) {
        return Pair{sums[block].value[0], sums[block].value[1]};
      },
      norms, norms + 1);
}

template void sweep<double>(Cuda&, Relaxation<Cuda, double>&, int, bool);
template void sweep<float>(Cuda&, Relaxation<Cuda, float>&, int, bool);

TESSERA_LMSOR_INSTANTIATE(Cuda)

}  // namespace tessera::solvers::grid::lmsor
