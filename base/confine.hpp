#pragma once

namespace tessera {

/// From now on this process may read files and start threads, but not open a file for writing, make, rename or remove
/// one, start a program or another process, or open a socket: the system calls fail with EACCES (a seccomp filter; it
/// cannot be lifted). False, and no change, where the system has no such filters.
bool confine_process();

}  // namespace tessera
