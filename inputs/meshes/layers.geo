// The unit cube: tetrahedra below z = 1/2, prisms above. Groups: "tets", "prisms" (volumes), "wall" (the whole surface).
//   gmsh -3 layers.geo -o layers.msh
DefineConstant[ n = { 6, Name "Cells along a side" } ];
h = 1 / n;
Point(1) = {0, 0, 0, h};
Point(2) = {1, 0, 0, h};
Point(3) = {1, 1, 0, h};
Point(4) = {0, 1, 0, h};
Line(1) = {1, 2};
Line(2) = {2, 3};
Line(3) = {3, 4};
Line(4) = {4, 1};
Curve Loop(1) = {1 : 4};
Plane Surface(1) = {1};
below[] = Extrude {0, 0, 0.5} { Surface{1}; };
// Layers with Recombine turn the triangles of the middle plane into prisms.
above[] = Extrude {0, 0, 0.5} { Surface{below[0]}; Layers{n/2}; Recombine; };
Physical Volume("tets") = {below[1]};
Physical Volume("prisms") = {above[1]};
Physical Surface("wall") = {1, below[2], below[3], below[4], below[5], above[0], above[2], above[3], above[4], above[5]};
