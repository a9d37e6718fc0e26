#pragma once
// make_evolution, written once: fields_evolution.cpp and fields_evolution_cuda.cpp instantiate it.
#include <utility>

#include "base/profile.hpp"
#include "linalg/interleave.hpp"
#include "linalg/vector_ops.hpp"
#include "physics/reaction_diffusion/fields_evolution.hpp"

namespace tessera::physics::reaction_diffusion {

template <class Exec>
class FieldsEvolution final : public Evolution<Exec> {
 public:
  using Space = typename Exec::Space;

  FieldsEvolution(Exec& exec, std::vector<FieldProblem> fields, const scalar::Storage& storage, bool varies,
                  output::Summary& summary)
      : exec_(exec),
        fields_(std::move(fields)),
        storage_(storage),
        varies_(varies),
        summary_(summary),
        evolutions_(fields_.size()) {
    (void)evolution(0);
    loads_ = Array<double, Space>(of_one_.rows);
  }

  linalg::Crs<Space> make_matrix() override {
    Scope scope(exec_, "assemble.setup");
    return linalg::interleaved_pattern(exec_, std::as_const(of_one_).view(), count());
  }

  void fill_mass(double t, std::span<const double>, linalg::Crs<Space>& M) override {
    evolution(0).fill_mass(t, {}, of_one_);
    for (int c = 0; c < count(); ++c) linalg::set_component(exec_, std::as_const(of_one_).view(), c, count(), M);
  }

  void fill(double t, linalg::Crs<Space>& A, View<double> b) override {
    for (int c = 0; c < count(); ++c) {
      evolution(c).fill(t, of_one_, loads_.view());
      if (is_still(c)) linalg::fill(exec_, of_one_.values.view(), 0);
      linalg::set_component(exec_, std::as_const(of_one_).view(), c, count(), A);
      set_loads(c, b);
      if (!varies_) evolutions_[static_cast<std::size_t>(c)].reset();
    }
  }

  void fill_loads(double t, linalg::Crs<Space>&, View<double> b) override {
    for (int c = 0; c < count(); ++c) {
      if (!is_still(c)) evolution(c).fill_loads(t, of_one_, loads_.view());
      set_loads(c, b);
    }
  }

 private:
  int count() const { return static_cast<int>(fields_.size()); }
  bool is_still(int c) const { return fields_[static_cast<std::size_t>(c)].still; }

  /// That of a field, with a matrix made, as it fills none before.
  Evolution<Exec>& evolution(int c) {
    std::unique_ptr<Evolution<Exec>>& own = evolutions_[static_cast<std::size_t>(c)];
    if (own) return *own;
    const FieldProblem& field = fields_[static_cast<std::size_t>(c)];
    own = scalar::make_evolution(exec_, field.problem, field.deck, storage_, storage_, summary_);
    of_one_ = own->make_matrix();
    return *own;
  }

  void set_loads(int c, View<double> b) {
    if (is_still(c)) linalg::fill(exec_, loads_.view(), 0);
    linalg::set_component(exec_, View<const double>(loads_.view()), c, count(), b);
  }

  Exec& exec_;
  std::vector<FieldProblem> fields_;
  const scalar::Storage& storage_;
  bool varies_;
  output::Summary& summary_;
  std::vector<std::unique_ptr<Evolution<Exec>>> evolutions_;  ///< [fields], those that are there
  linalg::Crs<Space> of_one_;                                 ///< the matrix of one field after the other
  Array<double, Space> loads_;
};

template <class Exec>
std::unique_ptr<Evolution<Exec>> make_evolution(Exec& exec, std::vector<FieldProblem> fields,
                                                const scalar::Storage& storage, bool varies, output::Summary& summary) {
  return std::make_unique<FieldsEvolution<Exec>>(exec, std::move(fields), storage, varies, summary);
}

}  // namespace tessera::physics::reaction_diffusion
