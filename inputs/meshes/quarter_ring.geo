// A quarter of a ring, radius 1 to 2: half of a section of a spherical shell above its equator. Groups: "shell"
// (surface), "inner", "outer", "axis" (x = 0), "equator" (y = 0). With elements of geometric order 2 the arcs are curved.
DefineConstant[ n = { 3, Name "Cells along a side" } ];
DefineConstant[ quads = { 0, Choices{0, 1}, Name "Quads" } ];
Point(1) = {0, 0, 0};
Point(2) = {1, 0, 0};
Point(3) = {2, 0, 0};
Point(4) = {0, 2, 0};
Point(5) = {0, 1, 0};
Line(1) = {2, 3};
Circle(2) = {3, 1, 4};
Line(3) = {4, 5};
Circle(4) = {5, 1, 2};
Curve Loop(1) = {1, 2, 3, 4};
Plane Surface(1) = {1};
Transfinite Curve {1, 2, 3, 4} = n + 1;
Transfinite Surface {1};
If (quads)
  Recombine Surface {1};
EndIf
Physical Surface("shell") = {1};
Physical Curve("equator") = {1};
Physical Curve("outer") = {2};
Physical Curve("axis") = {3};
Physical Curve("inner") = {4};
