#pragma once

namespace app_test {

/// Whether the program can run with --backend cuda here.
bool has_gpu();

}  // namespace app_test
