#include "base/thread_limit.hpp"

#include <omp.h>

namespace tessera {

ThreadLimit::ThreadLimit(int count) : before_(omp_get_max_threads()) {
  if (count > 0) omp_set_num_threads(count);
}
ThreadLimit::~ThreadLimit() { omp_set_num_threads(before_); }

}  // namespace tessera
