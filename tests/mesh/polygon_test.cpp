// Convex polygons: what lies inside of another and what lies outside make up the whole.
#include "mesh/polygon.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace tessera::mesh {
namespace {

Polygon ring(double x, double y, double radius, int corners, double turned) {
  Polygon result;
  for (int c = 0; c < corners; ++c) {
    const double angle = turned + 2 * M_PI * c / corners;
    result.push_back({x + radius * std::cos(angle), y + radius * std::sin(angle)});
  }
  return result;
}

TEST(Polygon, InsideAndOutsideMakeUpTheWhole) {
  for (const int corners : {3, 4, 7})
    for (const double shift : {0.0, 0.4, 1.1}) {
      const Polygon subject = ring(0, 0, 1, 5, 0.1), hole = ring(shift, 0.2, 0.8, corners, 0.3);
      const double inside = area(clipped(subject, hole, 0));
      EXPECT_GT(inside, 0.1);
      EXPECT_LT(inside, area(subject));
      double outside = 0;
      for (const Polygon& piece : without(subject, hole, 0)) {
        EXPECT_GT(area(piece), 0);
        EXPECT_LT(area(clipped(piece, hole, 0)), 1e-14);
        outside += area(piece);
      }
      EXPECT_NEAR(inside + outside, area(subject), 1e-14) << corners << " " << shift;
    }
}

TEST(Polygon, WhatIsApartStaysWhole) {
  const Polygon square{{0, 0}, {1, 0}, {1, 1}, {0, 1}}, far{{2, 0}, {3, 0}, {3, 1}, {2, 1}};
  EXPECT_TRUE(clipped(square, far, 0).empty());
  double left = 0;
  for (const Polygon& piece : without(square, far, 0)) left += area(piece);
  EXPECT_DOUBLE_EQ(left, 1);
  EXPECT_TRUE(without(square, ring(0.5, 0.5, 2, 6, 0), 1e-12).empty());
}

/// Clipping a triangle by one that shares a corner with it leaves that corner twice.
TEST(Polygon, CornersThatStandTwiceChangeNothing) {
  const Polygon square{{0, 0}, {1, 0}, {1, 1}, {0, 1}}, twice{{0, 0}, {1, 0}, {1, 0}, {1, 1}, {1, 1}, {0, 1}};
  EXPECT_TRUE(without(square, twice, 1e-12).empty());
  double left = 0;
  for (const Polygon& piece : without({{-1, 0}, {1, 0}, {1, 1}, {-1, 1}}, twice, 1e-12)) left += area(piece);
  EXPECT_DOUBLE_EQ(left, 1);
  // An edge between them that is rounding points anywhere.
  const Polygon nearly{{0, 0}, {1, 0}, {1, -1e-17}, {1, 1}, {0, 1}};
  EXPECT_DOUBLE_EQ(area(clipped(square, nearly, 1e-12)), 1);
  EXPECT_TRUE(without(square, nearly, 1e-12).empty());
}

TEST(Polygon, IntervalsAreThoseOfTwoCorners) {
  const Polygon whole{{0, 0}, {4, 0}}, middle{{1, 0}, {2, 0}};
  EXPECT_DOUBLE_EQ(area(whole), 4);
  EXPECT_EQ(clipped(whole, middle, 0), middle);
  EXPECT_EQ(without(whole, middle, 0), (std::vector<Polygon>{{{0, 0}, {1, 0}}, {{2, 0}, {4, 0}}}));
  EXPECT_EQ(without(middle, whole, 0), std::vector<Polygon>{});
  EXPECT_EQ(without(whole, {{5, 0}, {6, 0}}, 0), std::vector<Polygon>{whole});
}

}  // namespace
}  // namespace tessera::mesh
