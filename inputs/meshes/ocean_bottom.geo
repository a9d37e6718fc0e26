// A sea with a hill on its bottom, in quads: triangles that Gmsh recombines and divides, so that none is left.
// gmsh -2 ocean_bottom.geo; -setnumber h 60 for larger cells. Lengths in metres; the surface of the sea is y = 0.
SetFactory("OpenCASCADE");
DefineConstant[ h = { 80, Name "size of the cells" } ];
width = 5000; depth = 2600; sea = -1300; hill = 500;
Point(1) = {0, -depth, 0}; Point(2) = {width, -depth, 0};
Point(3) = {width, sea, 0}; Point(4) = {width, 0, 0};
Point(5) = {0, 0, 0}; Point(6) = {0, sea, 0};
For i In {1:19}
  x = width * i / 20;
  Point(10 + i) = {x, sea + hill * Exp(-((x - 3100) / 600)^2), 0};
EndFor
Line(1) = {1, 2}; Line(2) = {2, 3}; Line(4) = {6, 1};
Spline(3) = {3, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 6};
Line(5) = {3, 4}; Line(6) = {4, 5}; Line(7) = {5, 6};
Curve Loop(1) = {1, 2, 3, 4}; Plane Surface(1) = {1};
Curve Loop(2) = {5, 6, 7, -3}; Plane Surface(2) = {2};
Physical Surface("rock") = {1};
Physical Surface("sea") = {2};
Physical Curve("surface") = {6};
Physical Curve("sides") = {1, 2, 4, 5, 7};
Mesh.MeshSizeMin = h; Mesh.MeshSizeMax = h;
Mesh.RecombinationAlgorithm = 1; Mesh.RecombineAll = 1;
Mesh.SubdivisionAlgorithm = 1;
