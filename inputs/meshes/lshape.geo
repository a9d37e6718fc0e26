// The L-shape (-1,1)^2 without [0,1) x (-1,0]: the corner at the origin turns by 270 degrees.
// Groups: "domain" (surface), "wall" (its whole boundary).
// `grade` < 1 makes elements at the corner smaller by that factor: gmsh -2 lshape.geo -setnumber grade 0.02
DefineConstant[
  h     = { 0.1, Name "Mesh size" },
  grade = { 1,   Name "Corner size over mesh size" }
];
Point(1) = { 0,  0, 0, h*grade};
Point(2) = { 1,  0, 0, h};
Point(3) = { 1,  1, 0, h};
Point(4) = {-1,  1, 0, h};
Point(5) = {-1, -1, 0, h};
Point(6) = { 0, -1, 0, h};
Line(1) = {1, 2};
Line(2) = {2, 3};
Line(3) = {3, 4};
Line(4) = {4, 5};
Line(5) = {5, 6};
Line(6) = {6, 1};
Curve Loop(1) = {1 : 6};
Plane Surface(1) = {1};
Physical Surface("domain") = {1};
Physical Curve("wall") = {1 : 6};
