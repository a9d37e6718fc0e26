#pragma once
// run_stationary: A u = b from the deck to the files, for any Model.
#include <memory>

#include "physics/model.hpp"
#include "physics/run/backend.hpp"
#include "physics/run/plan.hpp"
#include "physics/run/solve.hpp"

namespace tessera::physics {

/// The driver, without what depends on the type of the model. Phases: of the mesh, dofs, of the assembly, convert,
/// solve, of the model's results, post, output.
class StationaryRun : public Module {
 public:
  deck::Schema schema() const override;
  ExitCode run(Context& context) override;
  void check(Context& context) override;
  LinearSystem assemble(Context& context, bool full) override;

 protected:
  /// A solution on the host, [rows].
  struct Solved {
    std::vector<double> u;
    Offset nnz = 0;
    solvers::Report report;
  };
  virtual Model& model() const = 0;
  /// Assembles and solves on the backend of the deck.
  virtual Solved solve(const Discretisation& space, Context& context) = 0;
  /// Assembles on threads; its matrix stays in CRS.
  virtual void fill(Threads& exec, const Discretisation& space, System<Threads>& system, output::Summary& summary) = 0;

  Start start_of(const Discretisation& space, double level) const;

 private:
  void read(const Context& context);
  Discretisation discretise(const Context& context);
  void set_up(Discretisation& space, const Context& context);
  Plan plan_of(const Discretisation& space) const;
};

/// The module of a model M.
template <class M>
class Stationary final : public StationaryRun {
 public:
  Stationary() : model_(std::make_unique<M>()) {}

 private:
  Model& model() const override { return *model_; }

  void fill(Threads& exec, const Discretisation& space, System<Threads>& system, output::Summary& summary) override {
    model_->assemble(exec, space, system, summary);
  }

  Solved solve(const Discretisation& space, Context& context) override {
    const CommonParams& params = model_->params();
    return on_backend(params.run, context.summary, [&](auto& exec) {
      using Exec = std::remove_reference_t<decltype(exec)>;
      System<Exec> system;
      model_->assemble(exec, space, system, context.summary);
      complete(exec, params, system, context.summary);
      Array<double, typename Exec::Space> x;
      Solved result;
      result.report =
          solve_system(exec, *system.A, system.b.view(), params.solver, context, x, start_of(space, system.level));
      result.nnz = system.nnz;
      result.u = to_vector(x);
      for (double& value : result.u) value += system.level;
      return result;
    });
  }

  std::unique_ptr<M> model_;
};

/// For the table of modules: the module whose stationary problem is a model M.
template <class M>
std::unique_ptr<Module> run_stationary() {
  return std::make_unique<Stationary<M>>();
}

}  // namespace tessera::physics
