#include "physics/wave/material_grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/input_file.hpp"
#include "base/team.hpp"
#include "physics/evaluate.hpp"

namespace tessera::physics::wave {

namespace {

using Key = std::optional<deck::Expression> MaterialParams::*;

/// Keys of one number, in the order of MaterialParams::values, and behind these the losses.
constexpr std::pair<const char*, Key> scalars[] = {{"density", &MaterialParams::density},
                                                   {"vp", &MaterialParams::vp},
                                                   {"lambda", &MaterialParams::lambda},
                                                   {"young", &MaterialParams::young},
                                                   {"bulk", &MaterialParams::bulk},
                                                   {"vs", &MaterialParams::vs},
                                                   {"mu", &MaterialParams::mu},
                                                   {"poisson", &MaterialParams::poisson},
                                                   {"vpv", &MaterialParams::vpv},
                                                   {"vph", &MaterialParams::vph},
                                                   {"vsv", &MaterialParams::vsv},
                                                   {"vsh", &MaterialParams::vsh},
                                                   {"eta", &MaterialParams::eta},
                                                   {"q_kappa", &MaterialParams::q_kappa},
                                                   {"q_mu", &MaterialParams::q_mu},
                                                   {"q", &MaterialParams::q},
                                                   {"rayleigh_alpha", &MaterialParams::rayleigh_alpha},
                                                   {"rayleigh_beta", &MaterialParams::rayleigh_beta}};

bool is_loss(Key key) {
  return key == &MaterialParams::q_kappa || key == &MaterialParams::q_mu || key == &MaterialParams::q ||
         key == &MaterialParams::rayleigh_alpha || key == &MaterialParams::rayleigh_beta;
}

const std::vector<std::string> names_of_axis = {"axis_x", "axis_y", "axis_z"};

/// The upper triangle of C_ij by rows, of 2-D (xx yy xy) and of 3-D.
std::vector<std::string> names_of_stiffness(int dim) {
  std::vector<std::string> names;
  for (const int i : {1, 2, 3, 4, 5, 6})
    for (int j = i; j <= 6; ++j) {
      const auto is_of_plane = [](int k) { return k == 1 || k == 2 || k == 6; };
      if (dim == 3 || (is_of_plane(i) && is_of_plane(j))) names.push_back(fmt::format("c{}{}", i, j));
    }
  return names;
}

std::size_t count_of(const deck::GridTable& grid, const std::vector<std::string>& names) {
  return static_cast<std::size_t>(
      std::count_if(names.begin(), names.end(), [&](const std::string& name) { return grid.column(name) >= 0; }));
}

class Taking {
 public:
  Taking(MaterialParams& material, const deck::Where& where)
      : m_(material), where_(where), file_(printable(material.file.text)) {}

  void scalars_of_grid() {
    for (const auto& [name, key] : scalars) {
      if (m_.grid->column(name) < 0) continue;
      if (m_.*key) refuse_both(name);
      m_.*key = deck::Expression(1.0);
    }
  }
  void list(const char* key, std::vector<deck::Expression> MaterialParams::*member,
            const std::vector<std::string>& names) {
    const std::size_t found = count_of(*m_.grid, names);
    if (found == 0) return;
    if (!(m_.*member).empty()) refuse_both(key);
    for (const std::string& name : names)
      if (m_.grid->column(name) < 0)
        refuse(fmt::format("the grid '{}' has no column '{}'", file_, name),
               fmt::format("{} takes the columns {}", key, fmt::join(names, ", ")));
    m_.*member = std::vector<deck::Expression>(names.size(), deck::Expression(1.0));
  }
  void check_names() const {
    std::vector<std::string> known = names_of_axis, stiffness = names_of_stiffness(3);
    known.insert(known.end(), stiffness.begin(), stiffness.end());
    for (const auto& [name, key] : scalars) known.emplace_back(name);
    for (const std::string& column : m_.grid->columns)
      if (std::find(known.begin(), known.end(), column) == known.end())
        refuse(fmt::format("the grid '{}' has a column '{}', which no material has", file_, printable(column)),
               suggest(column, known));
    if (m_.grid->columns.empty())
      refuse(fmt::format("the grid '{}' has coordinates alone", file_), "its columns are keys of [[material]]");
  }
  [[noreturn]] void refuse(const std::string& what, const std::string& help) const {
    throw Error(ExitCode::usage, what, help, where_);
  }

 private:
  [[noreturn]] void refuse_both(const char* key) const {
    refuse(fmt::format("the deck gives {}, and so does the grid '{}'", key, file_),
           "leave one of them out: of the deck, or the column");
  }

  MaterialParams& m_;
  const deck::Where where_;
  const std::string file_;
};

}  // namespace

void take_grid(const deck::Deck& deck, MaterialParams& material) {
  if (material.file.text.empty()) {
    if (material.outside)
      throw Error(ExitCode::usage, "a material with `outside`, and it has no file",
                  "outside is that of a grid: add file = \"...\"", material.where);
    return;
  }
  const deck::Where where = material.file.where ? material.file.where : material.where;
  material.grid =
      std::make_shared<const deck::GridTable>(deck::read_grid_table(deck.resolve(material.file.text), where));
  Taking taking(material, where);
  taking.check_names();
  taking.scalars_of_grid();
  const int axes = material.grid->column("axis_z") >= 0 ? 3 : 2;
  taking.list("axis", &MaterialParams::axis, {names_of_axis.begin(), names_of_axis.begin() + axes});
  const std::size_t in_plane = count_of(*material.grid, names_of_stiffness(2));
  const int dim = count_of(*material.grid, names_of_stiffness(3)) > in_plane ? 3 : 2;
  taking.list("stiffness", &MaterialParams::stiffness, names_of_stiffness(dim));
}

MaterialNumber MaterialParams::number(const std::string& name, const deck::Expression& given) const {
  return {given, grid ? grid->column(name) : -1};
}

std::vector<MaterialNumber> MaterialParams::values() const {
  std::vector<MaterialNumber> all;
  for (const auto& [name, key] : scalars)
    if (this->*key && !is_loss(key)) all.push_back(number(name, *(this->*key)));
  for (std::size_t i = 0; i < axis.size(); ++i)
    all.push_back(i < names_of_axis.size() ? number(names_of_axis[i], axis[i]) : MaterialNumber{axis[i]});
  const std::vector<std::string> names = names_of_stiffness(stiffness.size() == 6 ? 2 : 3);
  for (std::size_t i = 0; i < stiffness.size(); ++i)
    all.push_back(i < names.size() ? number(names[i], stiffness[i]) : MaterialNumber{stiffness[i]});
  return all;
}

std::vector<double> evaluate_number(const MaterialParams& material, const MaterialNumber& number,
                                    std::span<const double> points, std::span<const Index> dofs, int threads) {
  if (number.column < 0) return evaluate(number.expression, points, dofs, threads);
  const deck::GridTable& grid = *material.grid;
  const bool nearest = material.outside == "nearest";
  std::vector<double> values(dofs.size());
  parallel_ranges(threads, static_cast<Offset>(dofs.size()), [&](Offset first, Offset last, int) {
    for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i) {
      const double* const x = &points[3 * static_cast<std::size_t>(dofs[i])];
      if (!nearest && !grid.contains(x))
        throw Error(ExitCode::usage,
                    fmt::format("the node at ({:g}, {:g}, {:g}) lies outside of the grid '{}', {}", x[0], x[1], x[2],
                                printable(material.file.text), grid.extent()),
                    "add rows to the file, or say outside = \"nearest\"",
                    material.file.where ? material.file.where : material.where);
      values[i] = grid.at(number.column, x);
    }
  });
  return values;
}

}  // namespace tessera::physics::wave
