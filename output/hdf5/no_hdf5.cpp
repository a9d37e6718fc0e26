#include "base/error.hpp"
#include "output/traces.hpp"
#include "output/vtkhdf.hpp"

namespace tessera::output {

namespace {

[[noreturn]] void refuse() {
  throw Error(ExitCode::usage, "this tessera was built without HDF5: it neither writes nor reads .vtkhdf and .h5 files",
              "install HDF5 (Debian: libhdf5-dev) and build again, or choose output.formats = [\"vtu\"]");
}

}  // namespace

std::string hdf5_version() { return {}; }

void write_vtkhdf(const VtkData&, const std::filesystem::path&, const VtkhdfOptions&) { refuse(); }

VtkhdfSeries::VtkhdfSeries(std::filesystem::path, const VtkhdfOptions&) { refuse(); }
VtkhdfSeries VtkhdfSeries::resume(std::filesystem::path, double, const VtkhdfOptions&) { refuse(); }
void VtkhdfSeries::add(double, const VtkData&, bool) { refuse(); }

void write_traces(const std::filesystem::path&, const std::vector<Trace>&, const std::filesystem::path&, int) {
  refuse();
}

VtkhdfFile read_vtkhdf(const std::filesystem::path&, std::optional<std::size_t>) { refuse(); }

}  // namespace tessera::output
