// A shelf bracket of 80 x 50 x 60 mm, 10 mm thick, its inner corner rounded with 10 mm, a hole of 16 mm in the arm. Metres. Groups: "steel"
// (volume), "back" (against the wall), "fillet" (the rounded corner), "hole" (its wall), "end" (of the arm).
SetFactory("OpenCASCADE");
DefineConstant[ h = { 4e-3, Name "Mesh size" } ];
e = 1e-5;
Box(1) = {0, -0.025, 0, 0.01, 0.05, 0.06};
Box(2) = {0, -0.025, 0, 0.08, 0.05, 0.01};
corner() = BooleanUnion{ Volume{1}; Delete; }{ Volume{2}; Delete; };
inner() = Curve In BoundingBox {0.01 - e, -0.025 - e, 0.01 - e, 0.01 + e, 0.025 + e, 0.01 + e};
rounded() = Fillet{ corner(0) }{ inner(0) }{ 0.01 };
Cylinder(10) = {0.055, 0, -0.01, 0, 0, 0.03, 0.008};
bracket() = BooleanDifference{ Volume{rounded(0)}; Delete; }{ Volume{10}; Delete; };
Physical Volume("steel") = {bracket()};
Physical Surface("back") = Surface In BoundingBox {-e, -0.025 - e, -e, e, 0.025 + e, 0.06 + e};
Physical Surface("fillet") = Surface In BoundingBox {0.01 - e, -0.025 - e, 0.01 - e, 0.02 + e, 0.025 + e, 0.02 + e};
Physical Surface("hole") = Surface In BoundingBox {0.047 - e, -0.008 - e, -e, 0.063 + e, 0.008 + e, 0.01 + e};
Physical Surface("end") = Surface In BoundingBox {0.08 - e, -0.025 - e, -e, 0.08 + e, 0.025 + e, 0.01 + e};
Mesh.MeshSizeMin = h;
Mesh.MeshSizeMax = h;
