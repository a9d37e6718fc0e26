// A plugin for tests: physics that says where it is and then does not come back, as a factorisation or a full disk may.
#include <fmt/format.h>
#include <unistd.h>

#include <fstream>

#include "base/backend.hpp"
#include "base/profile.hpp"
#include "output/files.hpp"
#include "physics/registry.hpp"
#include "physics/sections.hpp"

namespace tessera::physics {
namespace {

struct Params {
  std::string type = "stuck";
  std::string in = "output";
};

deck::Section<Params> section() {
  return deck::Section<Params>("physics", "A run without end")
      .key("type", &Params::type, {.help = "this module", .choices = {"stuck"}})
      .key("in", &Params::in, {.help = "where", .choices = {"output", "solve", "loop", "ranks"}});
}

void say_stuck() {
  fmt::print(stderr, "stuck\n");
  std::fflush(stderr);
}

class Stuck final : public Module {
 public:
  deck::Schema schema() const override {
    return {deck_section().description(), run_section().description(), section().description(),
            output_section().description()};
  }

  ExitCode run(Context& context) override {
    const Params params = section().read(context.deck);
    Threads host(1);
    if (params.in == "ranks" && !context.ranks) return ExitCode::ok;  // one alone ends
    {
      Scope scope(host, "solve");
      context.summary.set("space.dofs", 7);
      if (params.in != "output") say_stuck();
      if (params.in == "solve" || params.in == "ranks")
        for (;;) pause();
      if (params.in == "loop")
        while (!context.stop()) usleep(1000);
    }
    Scope scope(host, "output");
    output::atomic_write(context.output_directory / "solution.csv", std::string("a whole result\n"));
    output::atomic_write(context.output_directory / "solution.vtu", [](const std::filesystem::path& temporary) {
      std::ofstream(temporary) << "half a result" << std::flush;
      say_stuck();
      for (;;) pause();
    });
    return ExitCode::ok;
  }

  void check(Context&) override {}
};

}  // namespace
}  // namespace tessera::physics

extern "C" const char* tessera_plugin_version() { return tessera::physics::plugin_version; }

extern "C" void tessera_plugin_register(std::vector<tessera::physics::Entry>& table) {
  table.push_back({"stuck", "a run without end", []() -> std::unique_ptr<tessera::physics::Module> {
                     return std::make_unique<tessera::physics::Stuck>();
                   }});
}
