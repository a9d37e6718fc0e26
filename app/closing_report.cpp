#include "app/closing_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/counted.hpp"
#include "base/host_memory.hpp"
#include "base/memory.hpp"

namespace tessera::app {
namespace {

using Json = nlohmann::ordered_json;

/// The value at a dotted key, or null.
Json at(const Json& root, const std::string& dotted) {
  const Json* here = &root;
  for (std::size_t from = 0; from < dotted.size();) {
    const std::size_t dot = std::min(dotted.find('.', from), dotted.size());
    const auto found = here->is_object() ? here->find(dotted.substr(from, dot - from)) : here->end();
    if (!here->is_object() || found == here->end()) return {};
    here = &*found;
    from = dot + 1;
  }
  return *here;
}

/// 28451 -> "28 451".
std::string grouped(long long value) {
  std::string digits = std::to_string(value);
  for (std::size_t i = digits.size(); i > 3 && digits[i - 4] != '-'; i -= 3) digits.insert(i - 3, " ");
  return digits;
}

std::string number(const Json& value) {
  return value.is_number() ? fmt::format("{:.10g}", value.get<double>()) : "nan";
}

void add_values(const Json& values, const std::string& prefix, std::string& text) {
  if (!values.is_object()) return;
  for (const auto& [name, value] : values.items())
    if (value.is_number() || value.is_null()) text += fmt::format("{}{} = {}\n", prefix, name, number(value));
}

void add_errors(const Json& errors, std::string& text) {
  if (!errors.is_object()) return;
  for (const auto& [field, norms] : errors.items()) {
    std::string line;
    if (norms.is_object())
      for (const auto& [norm, value] : norms.items())
        if (value.is_number())
          line += fmt::format("{}{} {:.6e}", line.empty() ? "" : ", ",
                              norm == "l2"   ? "L2"
                              : norm == "h1" ? "H1"
                                             : norm,
                              value.get<double>());
    if (!line.empty()) text += fmt::format("error of {}: {}\n", field, line);
  }
}

std::string solver_line(const Json& root) {
  const Json type = at(root, "solver.type");
  if (!type.is_string()) return {};
  std::string line = type.get<std::string>();
  for (const char* key : {"solver.method", "solver.preconditioner"})
    if (const Json value = at(root, key); value.is_string()) {
      line += fmt::format(" with {}", value.get<std::string>());
      break;
    }
  if (const Json residual = at(root, "solver.relative_residual"); residual.is_number())
    line += fmt::format(", relative residual {:.3g}", residual.get<double>());
  return line;
}

void add_sizes(const Json& root, std::string& text) {
  auto line = [&](const char* name, const std::string& value) { text += fmt::format("  {:<16} {}\n", name, value); };
  if (const Json cells = at(root, "mesh.cells"); cells.is_number_integer())
    line("cells", grouped(cells.get<long long>()));
  if (const Json dofs = at(root, "space.dofs"); dofs.is_number_integer()) line("dofs", grouped(dofs.get<long long>()));
  if (const Json newton = at(root, "newton.iterations"); newton.is_number_integer())
    line("newton", counted(newton.get<long long>(), "iteration"));
  if (const Json steps = at(root, "time.steps"); steps.is_number_integer())
    line("steps", fmt::format("{} to t = {:g}", grouped(steps.get<long long>()), at(root, "time.t").get<double>()));
  const std::string solver = solver_line(root);
  const Json iterations = at(root, "solver.iterations");
  if (iterations.is_number_integer())
    line("iterations", fmt::format("{} ({})", grouped(iterations.get<long long>()), solver));
  else if (!solver.empty())
    line("solver", solver);
}

void add_phases(const Json& phases, std::string& text) {
  if (!phases.is_array() || phases.empty()) return;
  text += fmt::format("\n  {:<16} {:>10} {:>8}\n", "phase", "seconds", "GB/s");
  double total = 0;
  for (const Json& phase : phases) {
    const std::string name = phase.value("name", "");
    const double seconds = phase.value("seconds", 0.0);
    const bool part = phase.contains("part_of");
    if (!part) total += seconds;
    const std::string shown = part ? "  of it " + name.substr(name.rfind('.') + 1) : name;
    const std::string rate = phase.contains("GB_per_s") ? fmt::format("{:.2f}", phase.value("GB_per_s", 0.0)) : "";
    std::string line = fmt::format("  {:<16} {:>10.3f} {:>8}", shown, seconds, rate);
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  text += fmt::format("  {:<16} {:>10.3f}\n", "together", total);
}

}  // namespace

std::string closing_report(const output::Summary& summary) {
  const NoUnwinding here;
  const Json& root = summary.json();
  std::string values;
  add_errors(at(root, "errors"), values);
  add_values(at(root, "quantities"), "", values);
  std::string text = values.empty() ? values : values + "\n";
  add_sizes(root, text);
  add_phases(at(root, "phases"), text);
  std::string memory;
  if (const Json host = at(root, "memory.host_peak_bytes"); host.is_number())
    memory = "host " + human_bytes(host.get<double>());
  if (const Json device = at(root, "memory.device_peak_bytes"); device.is_number())
    memory += ", GPU " + human_bytes(device.get<double>());
  if (!memory.empty()) text += fmt::format("  {:<16} {}\n", "peak memory", memory);
  return text + "\n";
}

}  // namespace tessera::app
