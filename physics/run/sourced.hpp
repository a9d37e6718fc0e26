#pragma once
// What models say of a problem, with the [[source]] of the deck in it.
#include <memory>
#include <utility>

#include "linalg/vector_ops.hpp"
#include "physics/run/evolution.hpp"
#include "physics/run/sources.hpp"

namespace tessera::physics {

/// M u' = b - A u with sources in b.
template <class Exec>
class SourcedEvolution final : public Evolution<Exec> {
 public:
  using Space = typename Exec::Space;

  /// `varies`: what of the model's own data depends on time.
  SourcedEvolution(Exec& exec, std::unique_ptr<Evolution<Exec>> model, const Sources& sources, const Varying& varies)
      : exec_(exec),
        model_(std::move(model)),
        loads_(exec, sources, {}),
        keeps_(sources.vary() && !varies.loads && !varies.stiffness) {}

  linalg::Crs<Space> make_matrix() override { return model_->make_matrix(); }
  void fill_mass(double t, std::span<const double> u, linalg::Crs<Space>& M) override { model_->fill_mass(t, u, M); }

  void fill(double t, linalg::Crs<Space>& A, View<double> b) override {
    model_->fill(t, A, b);
    if (keeps_) {
      of_model_ = Array<double, Space>(b.size());
      linalg::copy(exec_, View<const double>(b), of_model_.view());
    }
    loads_.add(t, 1, b);
  }

  void fill_loads(double t, linalg::Crs<Space>& A, View<double> b) override {
    if (keeps_)
      linalg::copy(exec_, View<const double>(of_model_.view()), b);
    else
      model_->fill_loads(t, A, b);
    loads_.add(t, 1, b);
  }

 private:
  Exec& exec_;
  std::unique_ptr<Evolution<Exec>> model_;
  SourceLoads<Exec> loads_;
  bool keeps_;                     ///< the model's b is the same at all times
  Array<double, Space> of_model_;  ///< then that
};

/// R(u) with sources in it, of which a load step takes a part as of all loads.
template <class Exec>
class SourcedNonlinear final : public Nonlinear<Exec> {
 public:
  SourcedNonlinear(Exec& exec, std::unique_ptr<Nonlinear<Exec>> model, const Sources& sources,
                   std::span<const Index> fixed)
      : model_(std::move(model)), loads_(exec, sources, fixed) {}

  void take_data(double t) override {
    t_ = t;
    model_->take_data(t);
  }
  void move_to(std::span<const double> u, double load) override {
    load_ = load;
    model_->move_to(u, load);
  }
  void residual(View<double> r) override {
    model_->residual(r);
    loads_.add(t_, load_, r);
  }
  void tangent(System<Exec>& system) override {
    model_->tangent(system);
    loads_.add(t_, load_, system.b.view());
  }

 private:
  std::unique_ptr<Nonlinear<Exec>> model_;
  SourceLoads<Exec> loads_;
  double t_ = 0, load_ = 1;
};

}  // namespace tessera::physics
