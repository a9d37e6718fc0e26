#include "app/out_of_memory.hpp"

#include <cstdlib>
#include <exception>
#include <new>

#include "base/error.hpp"
#include "base/host_memory.hpp"
#include "base/memory.hpp"

namespace tessera::app {
namespace {

std::terminate_handler terminate_before = nullptr;

/// Whether what is being thrown says that memory is short. An exception that leaves a function of a library that must
/// not throw is not named: then a request that failed is the reason.
bool is_want_of_memory() {
  const std::exception_ptr thrown = std::current_exception();
  if (!thrown) return last_failed_request() != 0;
  try {
    std::rethrow_exception(thrown);
  } catch (const std::bad_alloc&) {
    return true;
  } catch (const Error& error) {
    return error.code() == ExitCode::memory;
  } catch (...) {
    return false;
  }
}

void terminate() {
  if (is_want_of_memory()) end_without_memory();
  if (terminate_before) terminate_before();
  std::abort();
}

}  // namespace

void prepare_for_want_of_memory() {
  keep_memory_reserve();
  if (!terminate_before) terminate_before = std::set_terminate(terminate);
}

}  // namespace tessera::app

// Sanitizers have an operator new of their own.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
namespace {

void* allocate_or_throw(std::size_t bytes, std::size_t alignment) {
  for (;;) {
    void* memory = alignment == 0 ? std::malloc(bytes == 0 ? 1 : bytes)
                                  : std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
    if (memory) return memory;
    const std::new_handler handler = std::get_new_handler();
    if (!handler) break;
    handler();
  }
  tessera::note_failed_request(bytes);
  if (!tessera::may_unwind()) tessera::end_without_memory();
  throw std::bad_alloc();
}

}  // namespace

// The standard's, which keep the size of a request that fails.
void* operator new(std::size_t bytes) { return allocate_or_throw(bytes, 0); }
void* operator new[](std::size_t bytes) { return allocate_or_throw(bytes, 0); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return allocate_or_throw(bytes, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  return allocate_or_throw(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
#endif
