// Two layers of ground with a wavy interface between them, in quads: triangles that Gmsh recombines and divides, so that none is left.
// gmsh -2 layered_ground.geo; -setnumber h 60 for larger cells. Lengths in metres.
SetFactory("OpenCASCADE");
DefineConstant[ h = { 80, Name "size of the cells" } ];
width = 4000; depth = 2400; middle = -1000;
Point(1) = {0, -depth, 0}; Point(2) = {width, -depth, 0};
Point(3) = {width, middle, 0}; Point(4) = {width, 0, 0};
Point(5) = {0, 0, 0}; Point(6) = {0, middle, 0};
For i In {1:7}
  Point(10 + i) = {width * i / 8, middle + 150 * Sin(2 * Pi * i / 8), 0};
EndFor
Line(1) = {1, 2}; Line(2) = {2, 3}; Spline(3) = {3, 17, 16, 15, 14, 13, 12, 11, 6}; Line(4) = {6, 1};
Line(5) = {3, 4}; Line(6) = {4, 5}; Line(7) = {5, 6};
Curve Loop(1) = {1, 2, 3, 4}; Plane Surface(1) = {1};
Curve Loop(2) = {5, 6, 7, -3}; Plane Surface(2) = {2};
Physical Surface("rock") = {1};
Physical Surface("sediment") = {2};
Physical Curve("surface") = {6};
Physical Curve("bottom") = {1};
Physical Curve("sides") = {2, 4, 5, 7};
Mesh.MeshSizeMin = h; Mesh.MeshSizeMax = h;
Mesh.RecombinationAlgorithm = 1; Mesh.RecombineAll = 1;
Mesh.SubdivisionAlgorithm = 1;
