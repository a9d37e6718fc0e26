// A quarter of a pipe of the radii 1 and 2 and the height 0.5. Groups: "pipe" (volume), "inner", "outer", "x0" (on x = 0), "y0" (on y = 0),
// "bottom", "top". Structured hexes; with elements of geometric order 2 the walls are curved.
DefineConstant[ n = { 4, Name "Cells along a side" } ];
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
Recombine Surface {1};
pipe() = Extrude {0, 0, 0.5} { Surface{1}; Layers{1}; Recombine; };
Physical Volume("pipe") = {pipe(1)};
Physical Surface("bottom") = {1};
Physical Surface("top") = {pipe(0)};
Physical Surface("y0") = {pipe(2)};
Physical Surface("outer") = {pipe(3)};
Physical Surface("x0") = {pipe(4)};
Physical Surface("inner") = {pipe(5)};
