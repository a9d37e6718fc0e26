#include <fftw3.h>

#include <algorithm>
#include <mutex>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "solvers/grid/sine_transform.hpp"

namespace tessera::solvers::grid {

namespace {

/// FFTW in the two precisions under one name.
template <class T>
struct Fftw;

template <>
struct Fftw<double> {
  using Plan = fftw_plan;
  static constexpr auto plan = fftw_plan_many_r2r;
  static constexpr auto execute = fftw_execute_r2r;
  static constexpr auto destroy = fftw_destroy_plan;
};

template <>
struct Fftw<float> {
  using Plan = fftwf_plan;
  static constexpr auto plan = fftwf_plan_many_r2r;
  static constexpr auto execute = fftwf_execute_r2r;
  static constexpr auto destroy = fftwf_destroy_plan;
};

/// FFTW plans one at a time.
std::mutex& planner() {
  static std::mutex mutex;
  return mutex;
}

/// Lines that are transformed at once: those that share a cache line.
template <class T>
constexpr Index lines = 64 / sizeof(T);

}  // namespace

template <class Exec, class T>
struct SineTransform<Exec, T>::State {
  Index inner, length, outer;
  Index
      pitch;  ///< from a gathered line to the next; a multiple of the cache line, so that plans meet what they were made for
  Array<T> buffers;  ///< [threads, lines, pitch]
  typename Fftw<T>::Plan plan = nullptr;

  State(const State&) = delete;
  State(Index inner_size, Index line_length, Index outer_size, int threads)
      : inner(inner_size),
        length(line_length),
        outer(outer_size),
        pitch((line_length + lines<T> - 1) / lines<T> * lines<T>),
        buffers(Offset{lines<T>} * pitch * threads) {
    buffers.set_zero();
    const std::lock_guard lock(planner());
    const fftw_r2r_kind kind = FFTW_RODFT00;
    // FFTW_ESTIMATE measures nothing: the same plan, and the same rounding, in every run.
    plan = Fftw<T>::plan(1, &length, lines<T>, buffers.data(), nullptr, 1, pitch, buffers.data(), nullptr, 1, pitch,
                         &kind, FFTW_ESTIMATE);
    if (!plan) throw Error(ExitCode::internal, "FFTW made no plan for a sine transform");
  }
  ~State() {
    const std::lock_guard lock(planner());
    Fftw<T>::destroy(plan);
  }

  T* buffer(int thread) { return buffers.data() + Offset{lines<T>} * pitch * thread; }
  /// Place of the first entry of a line.
  Offset start(Offset line) const { return line % inner + line / inner * length * inner; }
};

template <class Exec, class T>
SineTransform<Exec, T>::SineTransform(Exec& exec, Index inner, Index length, Index outer)
    : state_(std::make_unique<State>(inner, length, outer, exec.count())) {}
template <class Exec, class T>
SineTransform<Exec, T>::~SineTransform() = default;
template <class Exec, class T>
SineTransform<Exec, T>::SineTransform(SineTransform&&) noexcept = default;

template <class Exec, class T>
void SineTransform<Exec, T>::apply(Exec& exec, RowFactors<T> before, View<const T> x, RowFactors<T> after, View<T> y) {
  State& state = *state_;
  const Offset count = Offset{state.inner} * state.outer, step = state.inner;
#pragma omp parallel for schedule(static) num_threads(exec.count())
  for (Offset first = 0; first < count; first += lines<T>) {
    const Offset here = std::min<Offset>(lines<T>, count - first);
    T* const gathered = state.buffer(omp_get_thread_num());
    Offset start[lines<T>];
    for (Offset l = 0; l < here; ++l) start[l] = state.start(first + l);
    for (Index j = 0; j < state.length; ++j)
      for (Offset l = 0; l < here; ++l) {
        const Offset place = start[l] + j * step;
        gathered[l * state.pitch + j] = before.at(place) * x[place];
      }
    Fftw<T>::execute(state.plan, gathered, gathered);
    for (Index j = 0; j < state.length; ++j)
      for (Offset l = 0; l < here; ++l) {
        const Offset place = start[l] + j * step;
        y[place] = T(0.5) * after.at(place) * gathered[l * state.pitch + j];  // FFTW's transform is twice ours
      }
  }
}

template <class Exec, class T>
void multiply_rows(Exec& exec, RowFactors<T> factors, std::type_identity_t<View<const T>> x, View<T> y) {
  for_each(exec, x.size(), [=](Offset i) { y[i] = factors.at(i) * x[i]; });
}

template class SineTransform<Threads, double>;
template class SineTransform<Threads, float>;
template void multiply_rows(Threads&, RowFactors<double>, View<const double>, View<double>);
template void multiply_rows(Threads&, RowFactors<float>, View<const float>, View<float>);

}  // namespace tessera::solvers::grid
