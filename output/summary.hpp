#pragma once
#include <concepts>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace tessera::output {

/// A value of the summary. Numbers that are not finite are written as null.
struct SummaryValue {
  std::variant<bool, std::int64_t, double, std::string, std::vector<double>, std::vector<std::string>> data;

  SummaryValue(bool value) : data(value) {}
  template <std::integral T>
  requires(!std::same_as<T, bool>) SummaryValue(T value) : data(static_cast<std::int64_t>(value)) {}
  template <std::floating_point T>
  SummaryValue(T value) : data(static_cast<double>(value)) {}
  SummaryValue(const char* value) : data(std::string(value)) {}
  SummaryValue(std::string value) : data(std::move(value)) {}
  SummaryValue(std::vector<double> value) : data(std::move(value)) {}
  SummaryValue(std::vector<std::string> value) : data(std::move(value)) {}
};

/// summary.json of a run: built up while it goes, written once at its end. Only what was measured or computed is set.
class Summary {
 public:
  Summary();
  ~Summary();
  Summary(Summary&&) noexcept;
  Summary& operator=(Summary&&) noexcept;

  /// set("mesh.nodes", n): dots open tables.
  void set(const std::string& dotted_key, SummaryValue value);
  /// set_in("mesh.groups", "fins.left", n): the last key is taken as it is, dots included. For names from a deck or
  /// mesh.
  void set_in(const std::string& dotted_table, const std::string& key, SummaryValue value);
  void set_json(const std::string& dotted_key, const nlohmann::ordered_json& value);
  bool has(const std::string& dotted_key) const;

  /// Error text and status "error"; the exit code is kept as "exit_code".
  void set_error(const std::string& message, int exit_code);

  /// Adds phases (profile()), memory (memory_use()) and warnings(), in the stable order of keys. `status` is not
  /// changed when already set; otherwise it becomes "ok".
  void finish();

  /// The text of a summary of what is known by now, that ends with this status and exit code; an error may be empty.
  std::string text_if_ended(const std::string& status, const std::string& error, int exit_code) const;

  std::string text() const;  ///< indented JSON, ends with a newline
  /// Writes atomically; throws Error(file_system).
  void write(const std::filesystem::path& path) const;
  const nlohmann::ordered_json& json() const;

 private:
  std::unique_ptr<nlohmann::ordered_json> json_;
};

}  // namespace tessera::output
