#include "physics/run/traces.hpp"

#include <fmt/format.h>

#include <map>

#include "output/traces.hpp"
#include "output/vtkhdf.hpp"

namespace tessera::physics {

std::string name_of_table(int every) { return every == 1 ? "probes" : fmt::format("probes_every_{}", every); }

void check_traces(const CommonParams& params, const deck::Deck& deck) {
  if (!params.output.has_format("hdf5")) return;
  const deck::Where where = deck.where("output.formats");
  if (output::hdf5_version().empty())
    throw Error(ExitCode::usage, "output.formats has \"hdf5\", but this tessera was built without HDF5",
                "install HDF5 (Debian: libhdf5-dev) and build again, or leave \"hdf5\" out: probes.csv has the same",
                where);
  if (params.probes.empty())
    throw Error(ExitCode::usage, "output.formats has \"hdf5\", the traces of probes, and the deck has no [[probe]]",
                "add a [[probe]], or choose \"vtkhdf\" for the fields", where);
}

void write_traces(const CommonParams& params, const std::filesystem::path& directory) {
  if (!params.output.has_format("hdf5")) return;
  std::map<int, std::vector<output::Trace>> tables;
  for (const ProbeParams& probe : params.probes) tables[probe.every].push_back({probe.name, probe.of, probe.at});
  for (const auto& [every, traces] : tables)
    output::write_traces(directory / (name_of_table(every) + ".csv"), traces,
                         directory / (name_of_table(every) + ".h5"), params.output.compression);
}

}  // namespace tessera::physics
