#pragma once
#include <cstddef>
#include <string>

#include "base/error.hpp"
#include "base/types.hpp"

namespace tessera {

/// Raw memory of one space, 64-byte aligned, uninitialised. Throws Error(memory) with the bytes asked, free and total.
/// Arrays use these; nothing else should.
void* allocate(Host, std::size_t bytes);
void* allocate(Device, std::size_t bytes);
void release(Host, void* memory, std::size_t bytes) noexcept;
void release(Device, void* memory, std::size_t bytes) noexcept;

/// Synchronous copies; those from and to a device wait for the work queued before them.
void copy_bytes(Host, const void* from, Host, void* to, std::size_t bytes);
void copy_bytes(Host, const void* from, Device, void* to, std::size_t bytes);
void copy_bytes(Device, const void* from, Host, void* to, std::size_t bytes);
void copy_bytes(Device, const void* from, Device, void* to, std::size_t bytes);
void fill_bytes(Host, void* memory, unsigned char value, std::size_t bytes);
void fill_bytes(Device, void* memory, unsigned char value, std::size_t bytes);

struct MemoryUse {
  std::size_t host_peak = 0;    ///< peak resident set of the process
  std::size_t device_peak = 0;  ///< peak of what Arrays held on the device
  std::size_t device_now = 0;
};
MemoryUse memory_use();

/// From now on the process keeps what it frees for its own next allocation and does not give it back to the system:
/// fresh pages are cleared on first touch, which took a third of the set-up of an assembly. For a program that ends
/// when it is done.
void keep_freed_memory();

/// Bytes that this process may still take on the host: host_memory().free.
std::size_t host_bytes_available();

/// Throws Error(memory) where a large request does not fit into what is free. Containers of the standard library do not
/// ask.
void require_host_memory(std::size_t bytes);

/// What a std::bad_alloc means to the user: what was asked, what is free, and which limit holds. Gives the reserve back
/// first.
Error out_of_host_memory();

/// Where nothing can be thrown: says that memory is short, in words that are there already where a message cannot be
/// made, and ends the process with exit code 5.
[[noreturn]] void end_without_memory() noexcept;

/// Takes some memory for the messages of when there is none left.
void keep_memory_reserve();

/// "1.5 GiB", for messages.
std::string human_bytes(double bytes);

}  // namespace tessera
