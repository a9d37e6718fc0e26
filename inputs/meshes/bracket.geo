// An angle bracket of 60 x 40 x 60 mm and 8 mm thick, with a hole of 12 mm in its foot and a boss of 16 mm on its upright: a STEP
// file of two parts that touch, in millimetres. `gmsh -0 bracket.geo` writes bracket.step; there the names that OpenCASCADE invents
// were replaced by "bracket", "plate" and "boss".
SetFactory("OpenCASCADE");
Box(1) = {0, 0, 0, 60, 40, 8};
Box(2) = {0, 0, 8, 8, 40, 52};
foot() = BooleanUnion{ Volume{1}; Delete; }{ Volume{2}; Delete; };
Cylinder(10) = {40, 20, 0, 0, 0, 8, 6};
plate() = BooleanDifference{ Volume{foot()}; Delete; }{ Volume{10}; Delete; };
Cylinder(20) = {8, 20, 40, 10, 0, 0, 8};
Save "bracket.step";
