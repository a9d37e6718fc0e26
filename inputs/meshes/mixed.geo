// The unit square, its left half in quadrangles and its right half in triangles.
// Groups: "quads", "triangles" (surfaces), "left", "right", "bottom", "top" (curves).
//   gmsh -2 mixed.geo -o mixed.msh
DefineConstant[ n = { 8, Name "Cells along a half" } ];
h = 0.5 / n;
Point(1) = {0,   0, 0, h};
Point(2) = {0.5, 0, 0, h};
Point(3) = {1,   0, 0, h};
Point(4) = {1,   1, 0, h};
Point(5) = {0.5, 1, 0, h};
Point(6) = {0,   1, 0, h};
Line(1) = {1, 2};
Line(2) = {2, 3};
Line(3) = {3, 4};
Line(4) = {4, 5};
Line(5) = {5, 6};
Line(6) = {6, 1};
Line(7) = {2, 5};
Curve Loop(1) = {1, 7, 5, 6};
Plane Surface(1) = {1};
Curve Loop(2) = {2, 3, 4, -7};
Plane Surface(2) = {2};
Transfinite Curve{1, 5} = n + 1;
Transfinite Curve{6, 7} = 2*n + 1;
Transfinite Surface{1};
Recombine Surface{1};
Physical Surface("quads") = {1};
Physical Surface("triangles") = {2};
Physical Curve("left") = {6};
Physical Curve("right") = {3};
Physical Curve("bottom") = {1, 2};
Physical Curve("top") = {4, 5};
