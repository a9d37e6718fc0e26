#pragma once
#include <memory>
#include <string>

#include "base/link.hpp"

namespace tessera {

/// Ranks whose GPUs can write into each other's memory (NVLink, or PCIe without a host between): kernels put sums and
/// entries where others wait for them, so that nothing but kernels of one stream is queued. Collective; nullptr, and
/// the same sentence on all ranks, where one of them cannot.
std::unique_ptr<Link> make_peer_link(Cuda& exec, Communicator& ranks, std::string& why);

}  // namespace tessera
