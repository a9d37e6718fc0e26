// libFuzzer target: any text as a deck. It is parsed, held against a schema and read through keys of every type.
#include <cstddef>
#include <cstdint>
#include <string>

#include "deck/section.hpp"
#include "mesh/params.hpp"

namespace {

using namespace tessera;

/// A key of every type that a section may have.
struct Values {
  bool flag = false;
  int count = 1;
  double number = 1;
  std::string name = "a";
  deck::Expression function;
  std::vector<double> numbers;
  std::vector<int> counts;
  std::vector<std::string> names;
  std::vector<deck::Expression> functions;
  std::optional<double> maybe;
  deck::Where where;
};

deck::Section<Values> values_section(const char* name, deck::SectionKind kind) {
  return deck::Section<Values>(name, "values", kind)
      .key("flag", &Values::flag, {.help = "h"})
      .key("count", &Values::count, {.help = "h", .min = 0, .max = 100})
      .key("number", &Values::number, {.help = "h", .min = 0, .open_min = true})
      .key("name", &Values::name, {.help = "h", .choices = {"a", "b"}})
      .key("diffusivity", &Values::function, {.help = "h"})
      .key("numbers", &Values::numbers, {.help = "h"})
      .key("counts", &Values::counts, {.help = "h"})
      .key("on", &Values::names, {.help = "h"})
      .key("gradient", &Values::functions, {.help = "h"})
      .key("maybe", &Values::maybe, {.help = "h"})
      .position(&Values::where);
}

void read(const std::string& text, const std::vector<std::string>& overrides) {
  static const auto run = values_section("run", deck::SectionKind::table);
  static const auto material = values_section("material", deck::SectionKind::array);
  static const auto mesh_section = mesh::mesh_section();
  const deck::Deck deck = deck::Deck::parse(text, "deck.toml", overrides);
  for (const char* key : {"mesh.box", "material[0].on", "run"}) (void)deck.where(key), (void)deck.has(key);
  std::string last;
  const auto attempt = [&](auto step) {  // a refusal of one part leaves the others to be tried
    try {
      step();
    } catch (const Error& error) {
      last = error.report();
    }
  };
  attempt([&] { deck::check(deck, {run.description(), material.description(), mesh_section.description()}); });
  attempt([&] { run.read(deck); });
  attempt([&] { material.read_all(deck); });
  attempt([&] { mesh::validate(mesh_section.read(deck, true)); });
}

}  // namespace

/// The first line of an input may be an override, as of `--set`, behind "#set ".
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  std::vector<std::string> overrides;
  if (text.starts_with("#set ")) overrides.push_back(text.substr(5, text.find('\n') - 5));
  try {
    read(text, overrides);
  } catch (const Error& error) {
    if (error.code() != ExitCode::usage || error.report().empty()) __builtin_trap();
  }
  return 0;
}
