#include "base/counted.hpp"

#include <gtest/gtest.h>

#include <cstddef>

namespace tessera {
namespace {

TEST(Counted, OneIsNotMany) {
  EXPECT_EQ(counted(0, "facet"), "0 facets");
  EXPECT_EQ(counted(1, "facet"), "1 facet");
  EXPECT_EQ(counted(std::size_t{2}, "facet"), "2 facets");
  EXPECT_EQ(counted(1L, "entity", "entities"), "1 entity");
  EXPECT_EQ(counted(3, "entity", "entities"), "3 entities");
}

}  // namespace
}  // namespace tessera
