#include "base/memory_device.hpp"
#include "base/peer_memory.hpp"
#include "base/reused_memory.hpp"

namespace tessera {
namespace {

/// Empty: it went well. The error is forgotten.
std::string words_of(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return {};
  (void)cudaGetLastError();
  return std::string(what) + " (" + cudaGetErrorString(status) + ")";
}

/// Handles are those of whole blocks of the driver, which would be shared with other arrays.
constexpr std::size_t driver_block = std::size_t{2} << 20;

/// Of the driver; where it has none left, what a set-up has freed and kept for itself goes back first.
cudaError_t take_block(char** memory, std::size_t bytes) {
  const cudaError_t status = cudaMalloc(memory, bytes);
  if (status != cudaErrorMemoryAllocation || !reused_device_memory) return status;
  (void)cudaGetLastError();
  reused_device_memory->flush();
  return cudaMalloc(memory, bytes);
}

/// As sums and exchanges write: a kernel, past the caches of its GPU.
__global__ void write_mark(int* to, int mark) { *static_cast<volatile int*>(to) = mark; }

}  // namespace

PeerMemory::PeerMemory(Communicator& ranks, std::size_t bytes, std::string& why) {
  bytes = (bytes + driver_block - 1) / driver_block * driver_block;
  cudaIpcMemHandle_t handle{};
  std::string problem = words_of(take_block(&mine_, bytes), "no memory for it");
  if (problem.empty()) problem = words_of(cudaMemset(mine_, 0, bytes), "its memory cannot be written");
  if (problem.empty()) problem = words_of(cudaDeviceSynchronize(), "its memory cannot be written");
  if (problem.empty()) problem = words_of(cudaIpcGetMemHandle(&handle, mine_), "its memory cannot be shared");
  why = first_text(ranks, problem);
  if (why.empty()) why = first_text(ranks, open(ranks, handle));
  if (why.empty()) return;
  close();
  ranks.barrier();
  if (mine_) (void)cudaFree(std::exchange(mine_, nullptr));
}

/// Maps the memory of the others and lets them see that it is theirs.
std::string PeerMemory::open(Communicator& ranks, const cudaIpcMemHandle_t& handle) {
  const std::vector<cudaIpcMemHandle_t> handles = gathered(ranks, handle);
  of_.assign(handles.size(), nullptr);
  std::string problem;
  for (int r = 0; r < ranks.size() && problem.empty(); ++r) {
    void* data = mine_;
    if (r != ranks.rank())
      problem =
          words_of(cudaIpcOpenMemHandle(&data, handles[static_cast<std::size_t>(r)], cudaIpcMemLazyEnablePeerAccess),
                   "another GPU's memory cannot be reached");
    if (problem.empty()) of_[static_cast<std::size_t>(r)] = static_cast<char*>(data);
  }
  // Each writes its number into the memory of all, at its own place, and finds those of all in its own.
  const int mark = ranks.rank() + 1;
  for (int r = 0; r < ranks.size() && problem.empty(); ++r) {
    write_mark<<<1, 1>>>(reinterpret_cast<int*>(of(r)) + ranks.rank(), mark);
    problem = words_of(cudaGetLastError(), "another GPU's memory cannot be written");
  }
  if (problem.empty()) problem = words_of(cudaDeviceSynchronize(), "another GPU's memory cannot be written");
  ranks.barrier();
  std::vector<int> marks(of_.size());
  if (problem.empty())
    problem = words_of(cudaMemcpy(marks.data(), mine_, sizeof mark * marks.size(), cudaMemcpyDeviceToHost),
                       "its memory cannot be read");
  for (std::size_t r = 0; r < marks.size() && problem.empty(); ++r)
    if (marks[r] != static_cast<int>(r) + 1) problem = "what another GPU writes does not arrive";
  if (problem.empty())
    problem = words_of(cudaMemset(mine_, 0, sizeof mark * marks.size()), "its memory cannot be written");
  if (problem.empty()) problem = words_of(cudaDeviceSynchronize(), "its memory cannot be written");
  ranks.barrier();
  return problem;
}

void PeerMemory::close() {
  for (char* data : of_)
    if (data && data != mine_) (void)cudaIpcCloseMemHandle(data);
  of_.clear();
}

void PeerMemory::release(Communicator& ranks) {
  if (empty()) return;
  close();
  ranks.barrier();
  (void)cudaFree(std::exchange(mine_, nullptr));
}

}  // namespace tessera
