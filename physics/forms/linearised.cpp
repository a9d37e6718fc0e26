#include "forms/linearised.hpp"

#include "assembly/cells/instantiate_threads.hpp"

template class tessera::assembly::Assembler<tessera::Threads, tessera::forms::Linearised>;
