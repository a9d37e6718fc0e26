#include "fuzz/kinds.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>

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

const std::vector<std::string_view> deck_words{"[mesh]",
                                               "[[material]]",
                                               "[[boundary]]",
                                               "[solver]",
                                               "[time]",
                                               "box = ",
                                               "shape = \"hex\"",
                                               "cells = [2, 2]",
                                               "order",
                                               "type = ",
                                               "\"cg\"",
                                               "\"lu\"",
                                               "\"bcr\"",
                                               "\"fft\"",
                                               "\"matrix_free\"",
                                               "value = ",
                                               "on = []",
                                               "\"left\"",
                                               "x",
                                               "sin(",
                                               ")",
                                               "nan",
                                               "\"\"",
                                               "'''",
                                               "{",
                                               "}",
                                               "[",
                                               "]",
                                               "=",
                                               "#",
                                               "\\u0000",
                                               "\"../../../\""};
const std::vector<std::string_view> msh_words{
    "$MeshFormat\n",    "$EndMeshFormat\n", "2.2 0 8\n",      "4.1 0 8\n", "4.1 1 8\n",   "$Nodes\n",
    "$EndNodes\n",      "$Elements\n",      "$EndElements\n", "$NOD\n",    "$Entities\n", "$EndEntities\n",
    "$Periodic\n",      "$NodeData\n",      "$ELM\n",         "\n",        " 15 2 ",      "$GhostElements",
    "$PhysicalNames\n", "$Comments\n",      "\"name\""};
const std::vector<std::string_view> cad_words{"Exit;",
                                              "Mesh 3;",
                                              "Include \"box.geo\";",
                                              "Abort;",
                                              "For i In {0:100000}",
                                              "EndFor",
                                              "While(1)",
                                              "solid",
                                              "facet",
                                              "endsolid",
                                              "ISO-10303-21;",
                                              "#1",
                                              "$",
                                              "*",
                                              "CTETRA",
                                              "GRID",
                                              "ENDDATA",
                                              "    -1",
                                              "  2412",
                                              "Tetrahedra",
                                              "MeshVersionFormatted",
                                              "CELLS",
                                              "CELL_TYPES",
                                              "POINTS",
                                              "BINARY",
                                              "ASCII",
                                              "DATASET UNSTRUCTURED_GRID"};
const std::vector<std::string_view> inp_words{"*NODE\n",
                                              "*NODE, NSET=a\n",
                                              "*ELEMENT, TYPE=C3D4\n",
                                              "*ELEMENT, TYPE=C3D20R, ELSET=a\n",
                                              "*ELEMENT, TYPE=B31\n",
                                              "*NSET, NSET=a, GENERATE\n",
                                              "*NSET, NSET=a, ELSET=a\n",
                                              "*ELSET, ELSET=a\n",
                                              "*SURFACE, NAME=a\n",
                                              "*SURFACE, NAME=a, TYPE=NODE\n",
                                              "*INCLUDE, INPUT=damaged.inp\n",
                                              "*PART, NAME=a\n",
                                              "*ASSEMBLY\n",
                                              "*INSTANCE, NAME=a, PART=a\n",
                                              "*END INSTANCE\n",
                                              "*STEP\n",
                                              ", INTERNAL",
                                              ", INSTANCE=a",
                                              "1, 999999999, 1\n",
                                              "a, S1\n",
                                              "a, SPOS\n",
                                              "a, E1\n",
                                              "a.1\n",
                                              "**",
                                              ",",
                                              "\"",
                                              "1D-400",
                                              "2147483647"};
const std::vector<std::string_view> xml_words{"<DataArray",
                                              "/>",
                                              "</",
                                              "NumberOfCells=\"99999999999\"",
                                              "format=\"appended\"",
                                              "format=\"ascii\"",
                                              "type=\"Int8\"",
                                              "type=\"Int64\"",
                                              "NumberOfComponents=\"3\"",
                                              "Name=\"types\"",
                                              "Name=\"offsets\"",
                                              " 72 ",
                                              " 42 ",
                                              "<?xml",
                                              "&",
                                              "<!DOCTYPE",
                                              "encoding=\"base64\""};
const std::vector<std::string_view> json_words{"{",    "}",     "[", "]",    ":",   ",",       "\"",
                                               "null", "1e400", "-", "true", "\\u", "[[[[[[[["};
const std::vector<std::string_view> mtx_words{"%%MatrixMarket matrix coordinate real general\n",
                                              "symmetric",
                                              "pattern",
                                              "complex",
                                              "array",
                                              "integer",
                                              "hermitian",
                                              "%\n",
                                              "\n"};

/// A deck without boundary conditions for a mesh of any kind.
std::string deck_for(const std::string& mesh) {
  return "[mesh]\nfile = \"" + mesh +
         "\"\n[physics]\ntype = \"poisson\"\n[[material]]\ndiffusivity = 1\nreaction = 1\n"
         "source = 1\n[output]\ndirectory = \"out\"\nwrite = false\n[run]\nbackend = \"threads\"\nthreads = 1\n";
}

std::vector<Kind> mesh_kinds(const fs::path& source, const fs::path& scratch) {
  std::vector<Kind> kinds;
  for (const std::string extension : {"msh", "geo", "step", "brep", "stl", "unv", "vtk", "bdf", "mesh", "inp", "vtu"}) {
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
    if (kind.name == "geo" || kind.name == "step" || kind.name == "brep" || kind.name == "stl")
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

  Kind command{.name = "command",
               .seeds = {},
               .files = {},
               .file = {},
               .arguments = {},
               .codes = {0, 2, 3, 4, 5, 6, 7},
               .dictionary = {}};
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
  kinds.push_back(std::move(matrix));

  for (const char* name : {"solution.vtu", "summary.json"}) {
    const fs::path sound = scratch / name;
    write_file(sound, read_file(results / name));
    Kind kind{.name = sound.extension().string().substr(1),
              .seeds = {read_file(sound)},
              .files = {name},
              .file = "damaged" + sound.extension().string(),
              .arguments = {},
              .codes = {0, 2, 6, 7, 5, 3},
              .dictionary = {}};
    kind.arguments = {"compare", name, kind.file};
    kind.dictionary = kind.name == "vtu" ? xml_words : json_words;
    kinds.push_back(std::move(kind));
  }
  std::erase_if(kinds, [](const Kind& kind) { return kind.seeds.empty(); });
  return kinds;
}

}  // namespace fuzz
