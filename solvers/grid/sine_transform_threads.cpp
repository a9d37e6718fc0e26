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

/// Lines that FFTW transforms at once: those that share a cache line.
template <class T>
constexpr Index lines = 64 / sizeof(T);
/// Lines that are gathered at once: the entries of a line lie pages apart, so that a page should give more than one
/// cache line.
template <class T>
constexpr Index gathered_lines = 4 * lines<T>;

}  // namespace

template <class Exec, class T>
struct SineTransform<Exec, T>::State {
  Index inner, length, outer;
  /// From a gathered line to the next: a multiple of the cache line, so that plans meet the alignment that they were
  /// made for, and one more, so that lines of powers of two do not meet in one set of the cache.
  Index pitch;
  Array<T> buffers;  ///< [threads, gathered_lines, pitch]
  typename Fftw<T>::Plan plan = nullptr;

  State(const State&) = delete;
  State(Index inner_size, Index line_length, Index outer_size, int threads)
      : inner(inner_size),
        length(line_length),
        outer(outer_size),
        pitch((line_length + lines<T> - 1) / lines<T> * lines<T> + lines<T>),
        buffers(Offset{gathered_lines<T>} * pitch * threads) {
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

  T* buffer(int thread) { return buffers.data() + Offset{gathered_lines<T>} * pitch * thread; }

  /// Calls use(place, gathered) for every entry of `here` lines from `first` on: its place in the array, and in the
  /// buffer.
  template <class Use>
  void for_entries(Offset first, Offset here, Use use) const {
    const Offset start = first % inner + first / inner * length * inner;
    if (first % inner + here <= inner) {  // side by side
      for (Index j = 0; j < length; ++j)
        for (Offset l = 0; l < here; ++l) use(start + l + Offset{j} * inner, l * pitch + j);
      return;
    }
    for (Offset l = 0; l < here; ++l) {
      const Offset line = first + l, begin = line % inner + line / inner * length * inner;
      for (Index j = 0; j < length; ++j) use(begin + Offset{j} * inner, l * pitch + j);
    }
  }
  void gather(RowFactors<T> factors, const T* x, Offset first, Offset here, T* gathered) const {
    if (factors.factor.empty())
      for_entries(first, here, [=](Offset place, Offset to) { gathered[to] = x[place]; });
    else
      for_entries(first, here, [=](Offset place, Offset to) { gathered[to] = factors.at(place) * x[place]; });
  }
  /// FFTW's transform is twice ours.
  void scatter(RowFactors<T> factors, const T* gathered, Offset first, Offset here, T* y) const {
    if (factors.factor.empty())
      for_entries(first, here, [=](Offset place, Offset from) { y[place] = T(0.5) * gathered[from]; });
    else
      for_entries(first, here,
                  [=](Offset place, Offset from) { y[place] = T(0.5) * factors.at(place) * gathered[from]; });
  }
};

template <class Exec, class T>
SineTransform<Exec, T>::SineTransform(Exec& exec, Index inner, Index length, Index outer, Offset)
    : state_(std::make_unique<State>(inner, length, outer, exec.count())) {}
template <class Exec, class T>
SineTransform<Exec, T>::~SineTransform() = default;
template <class Exec, class T>
SineTransform<Exec, T>::SineTransform(SineTransform&&) noexcept = default;

template <class Exec, class T>
void SineTransform<Exec, T>::apply(Exec& exec, RowFactors<T> before, View<const T> x, RowFactors<T> after, View<T> y) {
  State& state = *state_;
  const Offset count = Offset{state.inner} * state.outer;
  const Offset blocks = (count + gathered_lines<T> - 1) / gathered_lines<T>;
  parallel_for(exec.count(), blocks, [&](Offset block, int part) {
    const Offset first = block * gathered_lines<T>;
    const Offset here = std::min<Offset>(gathered_lines<T>, count - first);
    T* const gathered = state.buffer(part);
    state.gather(before, x.data(), first, here, gathered);
    for (Offset l = 0; l < here; l += lines<T>)
      Fftw<T>::execute(state.plan, gathered + l * state.pitch, gathered + l * state.pitch);
    state.scatter(after, gathered, first, here, y.data());
  });
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
