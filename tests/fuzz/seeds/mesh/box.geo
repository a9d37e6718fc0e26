SetFactory("OpenCASCADE");
Box(1) = {0, 0, 0, 1, 1, 1};
Physical Volume("body") = {1};
Physical Surface("sides") = {1:6};
Mesh.MeshSizeMin = 1;
