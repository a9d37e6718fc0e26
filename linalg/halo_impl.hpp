#pragma once
// Halo, written once; instantiated by halo_threads.cpp and halo_cuda.cu.
#include <algorithm>

#include "base/chained.hpp"
#include "base/parallel.hpp"
#include "linalg/halo.hpp"
#include "linalg/halo_plan.hpp"

namespace tessera::linalg {

template <class Exec>
Halo<Exec>::Halo(Link& link, const IndexMap& map, int components)
    : link_(link), components_(components), owned_(map.owned()) {
  HaloPlan plan = make_halo_plan(link.ranks(), map, components);
  plan_ = std::move(plan.exchange);
  rows_ = to_space<Space>(plan.rows);
  if (!std::is_sorted(plan.rows.begin(), plan.rows.end())) std::sort(plan.rows.begin(), plan.rows.end());
  plan.rows.erase(std::unique(plan.rows.begin(), plan.rows.end()), plan.rows.end());
  boundary_ = to_space<Space>(plan.rows);
  ghosts_ = static_cast<Offset>(map.ghosts().size()) * components;
  packed_ = Array<double, Space>(rows_.size());
  received_ = Array<double, Space>(ghosts_);
  // The first exchange connects the ranks.
  packed_.set_zero();
  link_.prepare(plan_, sizeof(double));
  link_.start(plan_, packed_.data(), received_.data(), sizeof(double));
  link_.finish();
}

template <class Exec>
template <class T>
void Halo<Exec>::start_into(Exec& exec, Exec& aside, View<const T> x, View<T> to) {
  if (link_.start_gathered(aside, plan_, x.data(), rows_.data(), to.data(), sizeof(T))) return;
  T* const packed = reinterpret_cast<T*>(packed_.data());
  const View<const Index> rows = rows_.view();
  for_each_chained(exec, rows.size(), [=] TESSERA_HD(Offset k) { packed[k] = x[rows[k]]; });
  link_.start(plan_, packed_.data(), to.data(), sizeof(T));
}

template <class Exec>
template <class T>
View<const T> Halo<Exec>::finish(Exec& exec) {
  link_.finish_for(exec);
  return {reinterpret_cast<const T*>(received_.data()), ghosts_};
}

template <class Exec>
template <class T>
void Halo<Exec>::update_columns(Exec& exec, View<T> x) {
  T* const packed = reinterpret_cast<T*>(packed_.data());
  const View<const Index> rows = rows_.view();
  const int components = components_;
  const Offset stride = x.size() / components, owned = owned_;
  for_each(exec, rows.size(),
           [=] TESSERA_HD(Offset k) { packed[k] = x[rows[k] % components * stride + rows[k] / components]; });
  link_.start(plan_, packed_.data(), received_.data(), sizeof(T));
  link_.finish();
  const T* const received = reinterpret_cast<const T*>(received_.data());
  for_each(exec, ghosts_,
           [=] TESSERA_HD(Offset k) { x[k % components * stride + owned + k / components] = received[k]; });
}

#define TESSERA_INSTANTIATE_HALO(Exec)                                                  \
  template class Halo<Exec>;                                                            \
  template void Halo<Exec>::start_into(Exec&, Exec&, View<const double>, View<double>); \
  template void Halo<Exec>::start_into(Exec&, Exec&, View<const float>, View<float>);   \
  template void Halo<Exec>::update_columns(Exec&, View<double>);                        \
  template void Halo<Exec>::update_columns(Exec&, View<float>);                         \
  template View<const double> Halo<Exec>::finish<double>(Exec&);                        \
  template View<const float> Halo<Exec>::finish<float>(Exec&)

}  // namespace tessera::linalg
