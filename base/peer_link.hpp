#pragma once
#include <memory>
#include <string>

#include "base/link.hpp"

namespace tessera {

/// Ranks whose GPUs can write into each other's memory (tried over NVLink): kernels put sums and entries where others
/// wait for them, so that nothing but kernels of one stream is queued. Exchanges take of each GPU 2 x ranks x the most
/// bytes that a rank sends to another, until the link ends. Collective; nullptr, and the same sentence on all ranks,
/// where one of them cannot.
std::unique_ptr<Link> make_peer_link(Cuda& exec, Communicator& ranks, std::string& why);

}  // namespace tessera
