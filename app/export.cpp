// Writes the linear system of a deck.
#include <fmt/format.h>

#include <filesystem>

#include "app/commands.hpp"
#include "app/open_deck.hpp"
#include "base/log.hpp"
#include "linalg/market_vector.hpp"
#include "linalg/matrix_market.hpp"
#include "output/files.hpp"
#include "physics/launch_section.hpp"
#include "physics/registry.hpp"
#include "physics/sections.hpp"

namespace tessera::app {

namespace {

namespace fs = std::filesystem;

fs::path market_file(const std::string& name, const char* what) {
  if (fs::path(name).extension() != ".mtx")
    throw Error(ExitCode::usage, fmt::format("cannot write {} as {}", what, name), "give a name that ends in .mtx");
  return name;
}

}  // namespace

ExitCode export_system(const ExportCommand& command) {
  set_log_level(command.deck.quiet ? "quiet" : "info");
  const fs::path matrix = market_file(command.matrix, "the matrix");
  const fs::path rhs = command.rhs.empty() ? matrix.parent_path() / (matrix.stem().string() + "_b.mtx")
                                           : market_file(command.rhs, "the right-hand side");
  if (rhs == matrix)
    throw Error(ExitCode::usage, "matrix and right-hand side would go to the same file", "give --rhs another name");
  load_plugins(command.deck);
  const deck::Deck deck = open_deck(command.deck);
  const auto module = physics::make_module(deck);
  deck::check(deck, module->schema_for(deck));
  const physics::RunParams params = physics::read_run(deck);
  output::Summary summary;
  physics::Context context{.deck = deck,
                           .backend = "threads",
                           .threads = params.threads,
                           .output_directory = {},
                           .summary = summary,
                           .quiet = command.deck.quiet,
                           .stop = {},
                           .progress = {}};
  physics::LinearSystem system = module->assemble(context, command.full);
  const bool symmetric = linalg::symmetrise(system.A);
  const linalg::MarketOptions options{
      .symmetry = symmetric ? linalg::MarketSymmetry::symmetric : linalg::MarketSymmetry::general,
      .comment = fmt::format("tessera export{}", command.full ? " --full: Dirichlet values are not in it" : "")};
  output::atomic_write(matrix,
                       [&](const fs::path& file) { linalg::write_matrix_market(file.string(), system.A, options); });
  output::atomic_write(
      rhs, [&](const fs::path& file) { linalg::write_market_vector(file.string(), system.b, "tessera export"); });
  fmt::print("{}: {} x {}, {} non-zeros, {}\n{}: {} numbers\n", matrix.string(), system.A.rows, system.A.cols,
             system.A.nnz(), symmetric ? "symmetric" : "general", rhs.string(), system.b.size());
  return ExitCode::ok;
}

}  // namespace tessera::app
