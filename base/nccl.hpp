#pragma once
#include <nccl.h>

#include <string>

// The functions of NCCL that we call.
#define TESSERA_NCCL_FUNCTIONS(what)                                                                           \
  what(GetUniqueId) what(CommInitRank) what(CommDestroy) what(AllGather) what(AllReduce) what(Send) what(Recv) \
      what(GroupStart) what(GroupEnd) what(GetErrorString) what(GetVersion)

namespace tessera {

/// NCCL, found at run time.
struct Nccl {
  std::string file;
  std::string problem;  ///< why it cannot be used; empty: it can
#define TESSERA_DECLARE(name) decltype(&nccl##name) name = nullptr;
  TESSERA_NCCL_FUNCTIONS(TESSERA_DECLARE)
#undef TESSERA_DECLARE

  /// TESSERA_NCCL, or libnccl.so.2.
  static const Nccl& loaded();
  /// Throws Error(internal) that names the call.
  void check(ncclResult_t status, const char* call) const;

 private:
  Nccl();
};

}  // namespace tessera
