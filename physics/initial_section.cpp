// [[initial]]: where solvers and runs through time start.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "physics/sections.hpp"

namespace tessera::physics {

namespace {

/// An entry as it stands in the deck.
struct InitialEntry {
  std::vector<std::string> on;
  std::optional<deck::Expression> number;
  std::vector<deck::Expression> components;
  std::optional<deck::Expression> rate_number;
  std::vector<deck::Expression> rate_components;
  std::vector<std::optional<deck::Expression>> fields;
  deck::PlacedString file;
  std::vector<std::string> field;
  std::optional<double> time;
  std::optional<std::string> outside;
  deck::Where where;
};

bool is_number(const FieldInfo& field) { return !field.vector && field.components.empty(); }
bool accelerates(const FieldInfo& field) { return !field.rate.empty(); }

deck::Section<InitialEntry> initial_section(const FieldInfo& field) {
  deck::Section<InitialEntry> section("initial",
                                      "Where a run through time starts (left out: 0), and an iterative solver; without "
                                      "one, at the constant nearest to the data. Of two entries at one place the later "
                                      "holds",
                                      deck::SectionKind::array);
  section.key("on", &InitialEntry::on, {.help = "physical group name(s); left out: everywhere"})
      .position(&InitialEntry::where);
  if (is_number(field)) {
    section.key(field.name, &InitialEntry::number, {.help = "the start, unless a file has it", .example = "\"20\""});
  } else if (field.own_names) {
    for (std::size_t c = 0; c < field.components.size(); ++c)
      section.entry(field.components[c], &InitialEntry::fields, c,
                    {.help = "the start, unless a file has it", .example = "\"0\""});
  } else {
    std::string zeros;
    for (int c = 0; c < field.count(3); ++c) zeros += c == 0 ? "\"0\"" : ", \"0\"";
    section.key(field.name, &InitialEntry::components,
                {.help = "the start, one expression a component, unless a file has it", .example = "[" + zeros + "]"});
    if (accelerates(field))
      section.key(field.rate, &InitialEntry::rate_components,
                  {.help = "its rate of change, unless a file has it", .example = "[" + zeros + "]"});
  }
  if (is_number(field) && accelerates(field))
    section.key(field.rate, &InitialEntry::rate_number,
                {.help = "its rate of change, unless a file has it", .example = "\"0\""});
  return section
      .key("file", &InitialEntry::file,
           {.help = "the start is a state of another run: .vtu, .pvtu, .pvd, .vtkhdf, a checkpoint (.tsr), or a folder "
                    "with checkpoints; on another mesh its elements are evaluated at the points of this one"})
      .key(
          "field", &InitialEntry::field,
          {.help = "what the file calls the field; of several fields one name each; left out: as they are called here"})
      .key("time", &InitialEntry::time,
           {.help = "the state of a series (.pvd, .vtkhdf) that is nearest to it; left out: the last one",
            .unit = "time"})
      .key("outside", &InitialEntry::outside,
           {.help = "where the mesh of the file does not reach, by more than a tenth of a cell. error: which holds "
                    "where it is left out; nearest: the value of its nearest place",
            .choices = {"error", "nearest"}});
}

[[noreturn]] void refuse(const deck::Where& where, const std::string& what, const std::string& help) {
  throw Error(ExitCode::usage, "[[initial]] " + what, help, where);
}

/// The key of a value, or the first of several.
std::string first_key(const FieldInfo& field) { return field.own_names ? field.components.front() : field.name; }

InitialFile file_of(const InitialEntry& entry, std::size_t count, const deck::Deck& deck) {
  if (!entry.field.empty() && entry.field.size() != count)
    refuse(entry.where, fmt::format("has {} names in `field`, the file gives {}", entry.field.size(), count),
           "write one name for each field that the file gives, in their order");
  return {.path = deck.resolve(entry.file.text).string(),
          .fields = entry.field,
          .time = entry.time,
          .nearest_outside = entry.outside.value_or("error") == "nearest",
          .where = entry.file.where ? entry.file.where : entry.where};
}

void check_no_keys_of_files(const InitialEntry& entry) {
  if (entry.field.empty() && !entry.time && !entry.outside) return;
  refuse(entry.where,
         fmt::format("has `{}` without `file`", !entry.field.empty() ? "field"
                                                : entry.time         ? "time"
                                                                     : "outside"),
         "add file = \"...\", or leave it out");
}

/// Of u or, with `of_rate`, of its rate of change, either of which may be left out.
InitialParams part_of(const InitialEntry& entry, const FieldInfo& field, const deck::Deck& deck, bool of_rate) {
  const auto values = [&](bool rate) {
    const std::optional<deck::Expression>& number = rate ? entry.rate_number : entry.number;
    return number ? std::vector<deck::Expression>{*number} : rate ? entry.rate_components : entry.components;
  };
  InitialParams params{.on = entry.on, .u = values(of_rate), .given = {}, .file = {}, .where = entry.where};
  const bool has_own = !params.u.empty(), has_other = !values(!of_rate).empty();
  if (entry.file.text.empty()) {
    check_no_keys_of_files(entry);
    if (!has_own && !has_other)
      refuse(entry.where, fmt::format("says neither '{}' nor '{}'", field.name, field.rate),
             "add an expression of one of them, or file = a state of another run");
    return params;
  }
  if (has_own && has_other)
    refuse(entry.where,
           fmt::format("has values of '{}' and '{}' and a file, of which nothing is taken", field.name, field.rate),
           "leave one of them out");
  if (has_own) return params;
  params.file = file_of(entry, has_other ? 1 : 2, deck);
  std::error_code none;
  if (const std::filesystem::path path = params.file->path;
      path.extension() == ".tsr" || std::filesystem::is_directory(path, none))
    refuse(params.file->where, fmt::format("is a checkpoint, and {} starts from files that have a mesh", field.name),
           "`tessera restart` goes on with a checkpoint; name a .vtu, .pvtu, .pvd or .vtkhdf file");
  if (params.file->fields.size() == 2) params.file->fields = {entry.field[of_rate ? 1 : 0]};
  return params;
}

InitialParams params_of(InitialEntry entry, const FieldInfo& field, const deck::Deck& deck) {
  InitialParams params{.on = entry.on, .u = {}, .given = {}, .file = {}, .where = entry.where};
  if (entry.number) params.u = {*entry.number};
  if (!entry.components.empty()) params.u = entry.components;
  std::size_t from_file = 1, missing = 0;
  if (field.own_names) {
    entry.fields.resize(field.components.size());
    from_file = 0;
    for (std::size_t c = 0; c < entry.fields.size(); ++c) {
      params.given.push_back(entry.fields[c].has_value());
      params.u.push_back(entry.fields[c].value_or(deck::Expression(0.0)));
      if (entry.fields[c]) continue;
      if (from_file++ == 0) missing = c;
    }
  }
  const std::string& key = field.own_names ? field.components[missing] : field.name;
  if (entry.file.text.empty()) {
    check_no_keys_of_files(entry);
    if (field.own_names ? from_file > 0 : params.u.empty())
      refuse(entry.where, fmt::format("needs the key '{}'", key),
             fmt::format("add {} = an expression, or file = a state of another run", key));
    return params;
  }
  if (field.own_names ? from_file == 0 : !params.u.empty())
    refuse(entry.where, fmt::format("has a value of '{}' and a file, of which nothing is taken", first_key(field)),
           "leave one of them out");
  params.file = file_of(entry, from_file, deck);
  return params;
}

}  // namespace

deck::SectionDescription initial_description(const FieldInfo& field) { return initial_section(field).description(); }

std::vector<InitialParams> read_initial(const deck::Deck& deck, const FieldInfo& field) {
  std::vector<InitialParams> result;
  for (InitialEntry& entry : initial_section(field).read_all(deck))
    result.push_back(accelerates(field) ? part_of(entry, field, deck, false)
                                        : params_of(std::move(entry), field, deck));
  return result;
}

std::vector<InitialParams> read_initial_rates(const deck::Deck& deck, const FieldInfo& field) {
  std::vector<InitialParams> result;
  if (!accelerates(field)) return result;
  for (const InitialEntry& entry : initial_section(field).read_all(deck))
    result.push_back(part_of(entry, field, deck, true));
  return result;
}

void check_initial(const CommonParams& params) {
  if (params.initial.empty()) return;
  const InitialParams& first = params.initial.front();
  if (solvers::is_direct(params.solver) || solvers::is_grid_solver(params.solver))
    throw Error(ExitCode::usage,
                fmt::format("[[initial]] is where an iterative solver starts, solver.type = \"{}\" is direct",
                            params.solver.type),
                "leave [[initial]] out, or choose an iterative solver: `tessera list solvers`", first.where);
}

void check_initial_files(const CommonParams& params) {
  std::error_code none;
  for (const InitialParams& initial : params.initial)
    if (initial.file && !std::filesystem::exists(initial.file->path, none))
      throw Error(ExitCode::file_system, fmt::format("[[initial]]: there is no file {}", initial.file->path),
                  "check the path, which is relative to the deck", initial.file->where);
}

void refuse_initial_files(const CommonParams& params) {
  for (const InitialParams& initial : params.initial)
    if (initial.file)
      refuse(initial.file->where, "is a file, and this method of grids takes expressions alone",
             "write the start as an expression, or choose a method on meshes");
}

}  // namespace tessera::physics
