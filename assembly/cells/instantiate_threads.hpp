#pragma once
// Everything that `template class tessera::assembly::Assembler<tessera::Threads, Form>;` needs: one source a form
// includes it.
#include "assembly/cells/strategies_threads.hpp"

#include "assembly/cells/assembler_impl.hpp"
