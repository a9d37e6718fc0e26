// The unit disk. Groups: "domain" (surface), "rim". With elements of geometric order 2 the rim is curved.
SetFactory("OpenCASCADE");
DefineConstant[ h = { 0.2, Name "Mesh size" } ];
Disk(1) = {0, 0, 0, 1};
Physical Surface("domain") = {1};
Physical Curve("rim") = {1};
Mesh.MeshSizeMin = h;
Mesh.MeshSizeMax = h;
