#include "output/summary.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/host_memory.hpp"
#include "base/log.hpp"
#include "base/memory.hpp"
#include "base/memory_device.hpp"
#include "base/profile.hpp"
#include "output/files.hpp"

namespace tessera::output {

using Json = nlohmann::ordered_json;

namespace {

/// The order of the top-level keys, whatever order a module sets them in.
constexpr const char* key_order[] = {"tessera", "title",  "deck",       "status", "error",   "exit_code", "backend",
                                     "mesh",    "space",  "phases",     "memory", "solver",  "balance",   "time",
                                     "output",  "errors", "quantities", "files",  "warnings"};

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

struct ToJson {
  Json operator()(double value) const { return number(value); }
  Json operator()(const std::vector<double>& values) const {
    Json list = Json::array();
    for (const double value : values) list.push_back(number(value));
    return list;
  }
  template <class T>
  Json operator()(const T& value) const {
    return Json(value);
  }
};

/// The object at a dotted key, made where it is missing.
Json& open(Json& root, const std::string& dotted) {
  Json* at = &root;
  for (std::size_t from = 0; from < dotted.size();) {
    const std::size_t dot = std::min(dotted.find('.', from), dotted.size());
    at = &(*at)[dotted.substr(from, dot - from)];
    from = dot + 1;
  }
  return *at;
}

Json phases_json() {
  Json list = Json::array();
  for (const Phase& phase : profile().phases()) {
    if (phase.calls == 0) continue;  // it has begun, and not ended
    Json item = {{"name", phase.name}, {"seconds", number(phase.seconds)}, {"calls", phase.calls}};
    if (!phase.part_of.empty()) item["part_of"] = phase.part_of;
    if (phase.bytes > 0) {
      item["bytes"] = number(phase.bytes);
      if (phase.seconds > 0) item["GB_per_s"] = number(phase.bytes / phase.seconds * 1e-9);
    }
    list.push_back(item);
  }
  return list;
}

/// Adds phases, memory and warnings; keys in the stable order.
Json finished(Json json) {
  json["phases"] = phases_json();
  const MemoryUse memory = memory_use();
  json["memory"]["host_peak_bytes"] = memory.host_peak;
  if (memory.device_peak > 0) {
    json["memory"]["device_peak_bytes"] = memory.device_peak;
    json["memory"]["device_held_peak_bytes"] = device_held_peak();
  }
  json["warnings"] = warnings();
  Json ordered = Json::object();
  for (const char* key : key_order)
    if (json.contains(key)) ordered[key] = json[key];
  for (const auto& [key, value] : json.items())
    if (!ordered.contains(key)) ordered[key] = value;
  return ordered;
}

/// Text from decks may hold anything; bytes that are not UTF-8 are replaced rather than refused.
std::string dump(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

}  // namespace

Summary::Summary() : json_(std::make_unique<Json>(Json::object())) {}
Summary::~Summary() = default;
Summary::Summary(Summary&&) noexcept = default;
Summary& Summary::operator=(Summary&&) noexcept = default;

void Summary::set(const std::string& dotted_key, SummaryValue value) {
  const NoUnwinding here;
  open(*json_, dotted_key) = std::visit(ToJson{}, value.data);
}

void Summary::set_in(const std::string& dotted_table, const std::string& key, SummaryValue value) {
  const NoUnwinding here;
  open(*json_, dotted_table)[key] = std::visit(ToJson{}, value.data);
}

void Summary::set_json(const std::string& dotted_key, const Json& value) {
  const NoUnwinding here;
  open(*json_, dotted_key) = value;
}

bool Summary::has(const std::string& dotted_key) const {
  const Json* at = json_.get();
  for (std::size_t from = 0; from < dotted_key.size();) {
    const std::size_t dot = std::min(dotted_key.find('.', from), dotted_key.size());
    const auto found = at->is_object() ? at->find(dotted_key.substr(from, dot - from)) : at->end();
    if (found == at->end()) return false;
    at = &*found;
    from = dot + 1;
  }
  return true;
}

void Summary::set_error(const std::string& message, int exit_code) {
  set("status", "error");
  set("error", message);
  set("exit_code", exit_code);
}

void Summary::finish() {
  const NoUnwinding here;
  if (!has("status")) set("status", "ok");
  *json_ = finished(*json_);
}

std::string Summary::text_if_ended(const std::string& status, const std::string& error, int exit_code) const {
  const NoUnwinding here;
  Json json = *json_;
  json["status"] = status;
  if (!error.empty()) json["error"] = error;
  json["exit_code"] = exit_code;
  return dump(finished(std::move(json)));
}

std::string Summary::text() const {
  const NoUnwinding here;
  return dump(*json_);
}

void Summary::write(const std::filesystem::path& path) const { atomic_write(path, text()); }

const Json& Summary::json() const { return *json_; }

}  // namespace tessera::output
