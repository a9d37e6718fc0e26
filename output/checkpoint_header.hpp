#pragma once
// What a run reads of the header of a checkpoint.
#include <fmt/format.h>

#include "base/error.hpp"
#include "output/checkpoint.hpp"

namespace tessera::output {

/// Throws Error(file_system): whole as it is, a checkpoint holds something else than a run needs to go on.
[[noreturn]] inline void refuse_content(const std::string& why) {
  throw Error(ExitCode::file_system, fmt::format("the checkpoint is none that a run can go on from: {}", why),
              "go on from an older checkpoint, or run the deck from its start");
}

/// What the header has under a name. Throws Error(file_system) where it has nothing, or something of another kind.
template <class T>
T header_value(const Checkpoint& checkpoint, const char* name) {
  try {
    return checkpoint.header.at(name).get<T>();
  } catch (const nlohmann::json::exception&) {
    refuse_content(fmt::format("its header has no '{}', or not of that kind", name));
  }
}

}  // namespace tessera::output
