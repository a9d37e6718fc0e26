#include "fuzz/kinds.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>

#include "fuzz/sealed_checkpoint.hpp"
#include "fuzz/words.hpp"

namespace fuzz {

namespace fs = std::filesystem;

std::string read_file(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

void write_file(const fs::path& file, const std::string& text) { std::ofstream(file, std::ios::binary) << text; }

namespace {

/// Files below `folder` with that extension, sorted; those above 64 kB are no use as seeds.
std::vector<fs::path> files_of(const fs::path& folder, const std::string& extension) {
  std::vector<fs::path> files;
  if (fs::is_directory(folder))
    for (const auto& entry : fs::recursive_directory_iterator(folder))
      if (entry.path().extension() == extension && entry.file_size() < 65536) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

void add_seeds(Kind& kind, const fs::path& folder, const std::string& extension) {
  for (const fs::path& file : files_of(folder, extension)) {
    kind.seeds.push_back(read_file(file));
    kind.files.push_back(file.string());
  }
}

/// A deck without boundary conditions for a mesh of any kind.
std::string deck_for(const std::string& mesh) {
  return "[mesh]\nfile = \"" + mesh +
         "\"\n[physics]\ntype = \"poisson\"\n[[material]]\ndiffusivity = 1\nreaction = 1\n"
         "source = 1\n[output]\ndirectory = \"out\"\nwrite = false\n[run]\nbackend = \"threads\"\nthreads = 1\n";
}

std::vector<Kind> mesh_kinds(const fs::path& source, const fs::path& scratch) {
  std::vector<Kind> kinds;
  for (const std::string extension :
       {"msh", "geo", "step", "iges", "brep", "stl", "unv", "vtk", "bdf", "mesh", "inp", "vtu"}) {
    // Results are .vtu as well, and a kind of their own.
    Kind kind{.name = extension == "vtu" ? "grid" : extension,
              .seeds = {},
              .files = {},
              .file = "damaged." + extension,
              .arguments = {},
              .codes = {},
              .dictionary = {}};
    add_seeds(kind, source / "tests/fuzz/seeds/mesh", "." + extension);
    const std::string deck = kind.name + "_deck.toml";
    write_file(scratch / deck, deck_for(kind.file));
    kind.arguments = {"run", deck, "--quiet", "--set", "solver.max_iterations=50", "--set", "mesh.time_limit=3"};
    if (kind.name == "geo" || kind.name == "step" || kind.name == "iges" || kind.name == "brep" || kind.name == "stl")
      kind.arguments.insert(kind.arguments.end(), {"--set", "mesh.size=1"});
    kind.codes = {0, 2, 3, 4, 5, 7};
    kind.dictionary = kind.name == "msh"    ? msh_words
                      : kind.name == "inp"  ? inp_words
                      : kind.name == "grid" ? xml_words
                                            : cad_words;
    kinds.push_back(std::move(kind));
  }
  return kinds;
}

/// A state in two pieces, which are frames of a series.
constexpr const char* pieces_of_state =
    "<?xml version=\"1.0\"?>\n<VTKFile type=\"PUnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\">\n"
    "  <PUnstructuredGrid GhostLevel=\"0\">\n    <PPointData>\n      <PDataArray type=\"Float64\" Name=\"u\"/>\n"
    "    </PPointData>\n    <PPoints>\n"
    "      <PDataArray type=\"Float64\" Name=\"Points\" NumberOfComponents=\"3\"/>\n    </PPoints>\n"
    "    <Piece Source=\"solution_000000.vtu\"/>\n    <Piece Source=\"solution_000002.vtu\"/>\n"
    "  </PUnstructuredGrid>\n</VTKFile>\n";

/// A kind that is read by a deck beside it.
Kind read_by_deck(const std::string& name, const std::string& file, const std::string& deck, const fs::path& scratch) {
  Kind kind{.name = name,
            .seeds = {},
            .files = {},
            .file = file,
            .arguments = {"run", name + "_deck.toml", "--quiet", "--threads", "1", "--backend", "threads"},
            .codes = {0, 2, 3, 4, 5, 7},
            .dictionary = {}};
  write_file(scratch / (name + "_deck.toml"), deck);
  return kind;
}

/// A string of TOML.
std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text.substr(0, text.find('\n'))) {
    if (c == '"' || c == '\\') result += '\\';
    if (static_cast<unsigned char>(c) < ' ' || c == 127)
      result += "\\u00" + std::string(1, "01234567"[c / 16]) + "0123456789abcdef"[c % 16];
    else
      result += c;
  }
  return result + '"';
}

/// A deck with the expression in the places where expressions go: a coefficient, a load, a value, and an exact
/// solution, which is derived.
std::string deck_of_expression(const std::string& text) {
  const std::string e = quoted(text);
  return "[mesh]\nbox = { min = [0, 0, 0], max = [1, 1, 1], cells = [2, 2, 2], shape = \"hex\" }\n"
         "[physics]\ntype = \"poisson\"\n[[material]]\ndiffusivity = 1\nreaction = " +
         e + "\nsource = " + e + "\n[[boundary]]\non = \"left\"\ntype = \"dirichlet\"\nvalue = " + e +
         "\n[solver]\nmax_iterations = 50\n[exact]\nu = " + e + "\n[output]\ndirectory = \"out\"\nwrite = false\n";
}

/// A wave through a square, whose material and source are read from tables.
std::string deck_of_tables(const std::string& material, const std::string& times) {
  return "[mesh]\nbox = { min = [0, 0], max = [1, 1], cells = [2, 2], shape = \"quad\" }\n"
         "[physics]\ntype = \"wave\"\nmedium = \"elastic\"\norder = 2\n[[material]]\n" +
         material + "\n[[source]]\nat = [0.4, 0.6]\nforce = [0, 1]\nfile = \"" + times +
         "\"\noutside = \"zero\"\n[time]\nend = 0.05\nstep = 0.005\n[output]\ndirectory = \"out\"\nwrite = false\n";
}

/// Tables of numbers, and expressions.
std::vector<Kind> deck_kinds(const fs::path& seeds, const fs::path& scratch) {
  std::vector<Kind> kinds;
  Kind expression = read_by_deck("expression", "expression_deck.toml", "", scratch);
  expression.lines = true;
  expression.complete = deck_of_expression;
  expression.dictionary = expression_words;
  add_seeds(expression, seeds / "expression", ".txt");
  kinds.push_back(std::move(expression));

  Kind times = read_by_deck("times", "times.csv", deck_of_tables("density = 1\nvp = 2\nvs = 1", "times.csv"), scratch);
  add_seeds(times, seeds / "times", ".csv");
  times.dictionary = table_words;
  const std::string pulse = times.seeds.empty() ? "" : times.seeds.front();
  kinds.push_back(std::move(times));

  write_file(scratch / "pulse.csv", pulse);
  Kind material = read_by_deck("material", "material.csv",
                               deck_of_tables("file = \"material.csv\"\noutside = \"nearest\"", "pulse.csv"), scratch);
  add_seeds(material, seeds / "material", ".csv");
  material.dictionary = table_words;
  kinds.push_back(std::move(material));
  return kinds;
}

/// Four steps, whatever became of the deck in a checkpoint: more may take for ever, and rightly so.
std::string with_few_steps(std::string text) {
  const std::size_t time = text.find("[time]\\nend = "), scheme = text.find("\\nscheme", time);
  if (scheme < text.size()) text.replace(time, scheme - time, "[time]\\nend = 0.4\\nstep = 0.1");
  return text;
}

/// Checkpoints, with hashes that are wrong and with right ones, and starts that are read from them.
std::vector<Kind> checkpoint_kinds(const fs::path& results, const fs::path& scratch) {
  const std::vector<fs::path> sound = files_of(results / "heat", ".tsr");
  if (sound.empty()) return {};
  const std::string name = sound.front().filename().string(), bytes = read_file(sound.front());
  std::vector<Kind> kinds;
  for (const char* of : {"checkpoint", "sealed"}) {
    Kind kind{.name = of,
              .seeds = {of == std::string("sealed") ? text_of(bytes) : bytes},
              .files = {name},
              .file = std::string(of) + "/" + name,
              .arguments = {"restart", of, "--quiet", "--threads", "1", "--backend", "threads"},
              .codes = {0, 2, 3, 4, 5, 7},
              .dictionary = json_words,
              .lines = false,
              .alone = true};
    if (of == std::string("sealed"))
      kind.complete = [bytes](const std::string& text) { return with_text(bytes, with_few_steps(text)); };
    kinds.push_back(std::move(kind));
  }
  Kind initial = read_by_deck("initial", "initial.tsr",
                              "[mesh]\nbox = { min = [0, 0], max = [1, 1], cells = [2, 2], shape = \"triangle\" }\n"
                              "[physics]\ntype = \"poisson\"\n[[material]]\nreaction = 1\n"
                              "[[initial]]\nfile = \"initial.tsr\"\noutside = \"nearest\"\n"
                              "[solver]\ntype = \"cg\"\n[output]\ndirectory = \"out\"\nwrite = false\n",
                              scratch);
  initial.seeds = {text_of(bytes)};
  initial.files = {name};
  initial.dictionary = json_words;
  initial.complete = [bytes](const std::string& text) { return with_text(bytes, text); };
  kinds.push_back(std::move(initial));
  return kinds;
}

/// Lists of files: the frames of a series, and the pieces of a state, from which a run starts.
std::vector<Kind> list_kinds(const fs::path& results, const fs::path& scratch) {
  std::vector<Kind> kinds;
  for (const fs::path& frame : files_of(results / "heat", ".vtu"))
    write_file(scratch / frame.filename(), read_file(frame));
  for (const std::string extension : {"pvd", "pvtu"}) {
    Kind kind =
        read_by_deck(extension, "damaged." + extension,
                     "[mesh]\nbox = { min = [0, 0], max = [1, 1], cells = [2, 2], shape = \"triangle\" }\n"
                     "[physics]\ntype = \"poisson\"\n[[material]]\nreaction = 1\n[[initial]]\nfile = \"damaged." +
                         extension +
                         "\"\noutside = \"nearest\"\n[solver]\ntype = \"cg\"\n"
                         "[output]\ndirectory = \"out\"\nwrite = false\n",
                     scratch);
    kind.seeds = {extension == "pvd" ? read_file(results / "heat/solution.pvd") : pieces_of_state};
    kind.files = {"solution." + extension};
    kind.dictionary = xml_words;
    kinds.push_back(std::move(kind));
  }
  return kinds;
}

void append(std::vector<Kind>& kinds, std::vector<Kind> more) {
  for (Kind& kind : more) kinds.push_back(std::move(kind));
}

}  // namespace

std::vector<Kind> make_kinds(const fs::path& source, const fs::path& scratch, const fs::path& results) {
  const fs::path seeds = source / "tests/fuzz/seeds";
  std::vector<Kind> kinds = mesh_kinds(source, scratch);

  // Decks name meshes relative to themselves: inputs/meshes is beside the folder of decks here, too.
  fs::create_directories(scratch / "decks");
  fs::create_directory_symlink(fs::absolute(source / "inputs/meshes"), scratch / "meshes");
  Kind check{.name = "check",
             .seeds = {},
             .files = {},
             .file = "decks/damaged.toml",
             .arguments = {"check", "decks/damaged.toml", "--threads", "1", "--output", "out"},
             .codes = {0, 2, 3, 4, 5, 7},
             .dictionary = deck_words};
  add_seeds(check, source / "inputs", ".toml");
  add_seeds(check, seeds / "deck", ".toml");
  kinds.push_back(std::move(check));
  Kind run{.name = "run",
           .seeds = {},
           .files = {},
           .file = "decks/damaged.toml",
           .arguments = {"run", "decks/damaged.toml", "--quiet", "--threads", "1", "--output", "out"},
           .codes = {0, 2, 3, 4, 5, 7},
           .dictionary = deck_words};
  add_seeds(run, seeds / "deck", ".toml");
  kinds.push_back(std::move(run));
  // The length of what is left to mutations would be any.
  Kind transient = kinds.back();
  transient.name = "transient", transient.seeds = {}, transient.files = {};
  Kind steady = transient;
  transient.arguments.insert(transient.arguments.end(), {"--set", "time.end=0.4", "--set", "time.step=0.1"});
  steady.name = "steady";
  steady.arguments.insert(steady.arguments.end(), {"--set", "time.end=5"});
  add_seeds(transient, seeds / "transient", ".toml");
  add_seeds(steady, seeds / "steady", ".toml");
  kinds.push_back(std::move(transient));
  kinds.push_back(std::move(steady));
  append(kinds, deck_kinds(seeds, scratch));
  append(kinds, checkpoint_kinds(results, scratch));
  append(kinds, list_kinds(results, scratch));

  Kind command{.name = "command",
               .seeds = {},
               .files = {},
               .file = {},
               .arguments = {},
               .codes = {0, 2, 3, 4, 5, 6, 7},
               .dictionary = {},
               .lines = true};
  command.dictionary = {"--",
                        "-",
                        "--set",
                        "=",
                        "--output",
                        "--help",
                        "--backend cuda",
                        "mesh.refine=1",
                        "''",
                        "deck.toml",
                        "-o",
                        "0",
                        "--threads 99999999999"};
  add_seeds(command, seeds / "command", ".txt");
  write_file(scratch / "deck.toml", read_file(seeds / "deck/poisson.toml"));
  kinds.push_back(std::move(command));

  Kind matrix{.name = "mtx",
              .seeds = {},
              .files = {},
              .file = "damaged.mtx",
              .arguments = {"spmv", "damaged.mtx", "--threads", "1", "--repeat", "1", "--backend", "threads"},
              .codes = {0, 2, 3, 5, 6, 7},
              .dictionary = mtx_words};
  add_seeds(matrix, seeds / "matrix", ".mtx");
  Kind rows = matrix;
  kinds.push_back(std::move(matrix));
  rows.name = "rows", rows.file = "damaged.rows";
  rows.arguments = {"tridiagonal", "damaged.rows", "--threads", "1", "--repeat", "1", "--backend", "threads"};
  rows.codes.push_back(4);
  for (const char* extension : {".txt", ".csv", ".mtx"}) add_seeds(rows, seeds / "rows", extension);
  rows.dictionary.insert(rows.dictionary.end(), table_words.begin(), table_words.end());
  kinds.push_back(std::move(rows));

  for (const char* name : {"solution.vtu", "solution.csv", "summary.json", "series/solution.vtkhdf"}) {
    const fs::path sound = scratch / fs::path(name).filename();
    write_file(sound, read_file(results / name));
    Kind kind{.name = sound.extension().string().substr(1),
              .seeds = {read_file(sound)},
              .files = {sound.filename().string()},
              .file = "damaged" + sound.extension().string(),
              .arguments = {},
              .codes = {0, 2, 6, 7, 5, 3},
              .dictionary = {}};
    kind.arguments = {"compare", sound.filename().string(), kind.file};
    kind.dictionary = kind.name == "vtu" ? xml_words : kind.name == "csv" ? table_words : json_words;
    kinds.push_back(std::move(kind));
  }
  std::erase_if(kinds, [](const Kind& kind) { return kind.seeds.empty(); });
  return kinds;
}

}  // namespace fuzz
