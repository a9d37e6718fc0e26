#include "base/error.hpp"
#include "base/link.hpp"
#include "base/rank_libraries.hpp"

namespace tessera {

std::unique_ptr<Link> make_link(Cuda&, Communicator&, std::string*) {
  throw Error(ExitCode::internal, "the program was built without CUDA");
}

FoundLibrary find_nccl() { return {{}, {}, "the program was built without CUDA"}; }

}  // namespace tessera
