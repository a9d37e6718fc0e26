#include "physics/skeleton/skeleton.hpp"

#include "assembly/cells/assembler.hpp"
#include "assembly/space/quadrature_points.hpp"
#include "base/profile.hpp"
#include "forms/diffusion.hpp"
#include "physics/run/stationary.hpp"

namespace tessera::physics {

namespace {

// 1. The keys of the module: a struct with defaults, and its schema.
struct Physics {
  std::string type;
  int order = 1;
  deck::Expression f;
  deck::Where where;
};

deck::Section<Physics> physics_section() {
  return deck::Section<Physics>("physics", "L2 projection: find u with (u, v) = (f, v)")
      .key("type", &Physics::type, {.help = "the physics module", .required = true, .example = "\"l2_projection\""})
      .key("order", &Physics::order, {.help = "polynomial order", .min = 1, .max = 4})
      .key("f", &Physics::f, {.help = "the function", .required = true, .example = "\"sin(pi*x)\""})
      .position(&Physics::where);
}

class Skeleton final : public Model {
 public:
  // 2. What there is: the field that is solved for, and the sections of a deck that are the module's own. All others
  // ([mesh], [run], [assembly], [matrix], [solver], [exact], [output], [[quantity]], [[line]]) are the driver's.
  Traits traits() const override {
    return {.fields = {{.name = "u", .measured = true}}, .sections = {physics_section().description()}};
  }

  // 3. The deck. The driver fills in what all decks have.
  CommonParams& params() override { return params_; }
  void read(const deck::Deck& deck) override {
    physics_ = physics_section().read(deck, true);
    params_.physics = {.type = physics_.type, .order = physics_.order, .where = physics_.where};
  }
  std::vector<deck::Expression> expressions() override { return {physics_.f}; }

  // 4. Data on the mesh: k = 0 and c = 1 leave the mass matrix; f is given at the quadrature points. `tessera check`
  // evaluates them too, so that it refuses what a run would.
  forms::DiffusionData data(const Discretisation& space) const {
    const assembly::QuadraturePoints points(space.mesh, space.dofs);
    forms::DiffusionData data;
    data.k.values = {0.0};
    data.c.values = {1.0};
    data.f.per_point = true;
    data.f.values.resize(static_cast<std::size_t>(points.before(space.mesh.blocks.size())));
    for (std::size_t block = 0; block < space.mesh.blocks.size(); ++block) {
      const Index cells = space.mesh.blocks[block].cells();
      const std::size_t count = static_cast<std::size_t>(cells) * points.per_cell(block);
      std::vector<double> xyz(3 * count);
      points.of_cells(block, 0, cells, xyz.data());
      deck::Evaluator(physics_.f).evaluate(xyz.data(), count, 0, data.f.values.data() + points.before(block));
    }
    return data;
  }
  AtPoints evaluate(const Discretisation& space, std::span<const double>, output::Summary&) override {
    return {.bytes = sizeof(double) * static_cast<double>(data(space).f.values.size()),
            .form = assembly::traits_of(forms::Diffusion(), space.mesh.dim)};
  }

  // 5. The system A u = b, on the backend of the deck: the algorithm is written once. The driver stores the matrix,
  // solves, compares with [exact], and writes.
  template <class Exec>
  void assemble(Exec& exec, const Discretisation& space, System<Exec>& system, output::Summary& summary) {
    Scope scope(exec, "assemble");
    assembly::Assembler<Exec, forms::Diffusion> assembler(
        exec, space.mesh, space.dofs,
        {.strategy = params_.assembly.strategy, .partition_size = params_.assembly.partition_size});
    system.matrix = assembler.make_matrix();
    system.b = Array<double, typename Exec::Space>(space.rows());
    assembler.assemble(data(space), system.matrix, system.b.view());
    summary.set("assembly.strategy", assembler.report().strategy);
  }

 private:
  CommonParams params_;
  Physics physics_;
};

}  // namespace

std::unique_ptr<Module> make_skeleton() { return run_stationary<Skeleton>(); }

}  // namespace tessera::physics
