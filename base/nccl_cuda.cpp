#include "base/rank_libraries.hpp"

#if __has_include(<nccl.h>)
#include "base/nccl.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>

#include "base/error.hpp"

namespace tessera {

Nccl::Nccl() {
  const char* const named = std::getenv("TESSERA_NCCL");
  file = named && *named ? named : "libnccl.so.2";
  void* const handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    problem = fmt::format("{} cannot be loaded ({})", file, dlerror());
    return;
  }
#define TESSERA_LOAD(name)                                              \
  name = reinterpret_cast<decltype(name)>(dlsym(handle, "nccl" #name)); \
  if (!name && problem.empty()) problem = fmt::format("{} has no nccl" #name, file);
  TESSERA_NCCL_FUNCTIONS(TESSERA_LOAD)
#undef TESSERA_LOAD
}

const Nccl& Nccl::loaded() {
  static const Nccl library;
  return library;
}

void Nccl::check(ncclResult_t status, const char* call) const {
  if (status == ncclSuccess) return;
  throw Error(ExitCode::internal, fmt::format("nccl{} failed: {}", call, GetErrorString(status)),
              "NCCL_DEBUG=WARN says more; TESSERA_LINK=host goes through the host instead");
}

FoundLibrary find_nccl() {
  const Nccl& nccl = Nccl::loaded();
  if (!nccl.problem.empty()) return {nccl.file, {}, nccl.problem};
  int number = 0;
  nccl.check(nccl.GetVersion(&number), "GetVersion");
  // 22105 is 2.21.5; up to 2.8 it was 2804.
  const int thousand = number < 10000 ? 1000 : 10000;
  return {nccl.file, fmt::format("{}.{}.{}", number / thousand, number % thousand / 100, number % 100), {}};
}

}  // namespace tessera
#else
namespace tessera {

FoundLibrary find_nccl() { return {{}, {}, "the program was built without NCCL's header"}; }

}  // namespace tessera
#endif
