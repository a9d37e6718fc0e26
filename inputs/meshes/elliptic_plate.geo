// A quarter of a plate between two ellipses, of NAFEMS LE1 and LE10: half axes 2 and 1 inside, 3.25 and 2.75 outside. Flat, group "plate", with
// the curves "inner", "outer", "x0" (on x = 0) and "y0" (on y = 0); or 0.6 thick, in two equal layers, with those groups as surfaces, "top",
// and "middle", the curve half way up the outer surface. Structured quads and hexes; with elements of geometric order 2 the ellipses are curved.
DefineConstant[ n = { 6, Name "Cells along a side" } ];
DefineConstant[ solid = { 0, Choices{0, 1}, Name "Thick" } ];
Point(1) = {0, 0, 0};
Point(2) = {2, 0, 0};
Point(3) = {3.25, 0, 0};
Point(4) = {0, 2.75, 0};
Point(5) = {0, 1, 0};
Line(1) = {2, 3};
Ellipse(2) = {3, 1, 3, 4};
Line(3) = {4, 5};
Ellipse(4) = {5, 1, 2, 2};
Curve Loop(1) = {1, 2, 3, 4};
Plane Surface(1) = {1};
Transfinite Curve {2, 4} = n + 1;
Transfinite Curve {1} = n + 1 Using Progression 1.15;
Transfinite Curve {-3} = n + 1 Using Progression 1.15;
Transfinite Surface {1};
Recombine Surface {1};
If (solid)
  low() = Extrude {0, 0, 0.3} { Surface{1}; Layers{1}; Recombine; };
  high() = Extrude {0, 0, 0.3} { Surface{low(0)}; Layers{1}; Recombine; };
  Physical Volume("plate") = {low(1), high(1)};
  Physical Surface("y0") = {low(2), high(2)};
  Physical Surface("outer") = {low(3), high(3)};
  Physical Surface("x0") = {low(4), high(4)};
  Physical Surface("inner") = {low(5), high(5)};
  Physical Surface("top") = {high(0)};
  around() = Boundary { Surface{low(0)}; };
  Physical Curve("middle") = {around(1)};
Else
  Physical Surface("plate") = {1};
  Physical Curve("y0") = {1};
  Physical Curve("outer") = {2};
  Physical Curve("x0") = {3};
  Physical Curve("inner") = {4};
EndIf
