// A heat sink: a silicon chip under an aluminium base plate with N fins. Unit: metre.
//
// Groups: "fins" (base plate and fins, volume), "chip" (volume), "base" (underside of the chip), "air" (all other surfaces).
// gmsh -3 heat_sink.geo -setnumber n_fins 12    draws another one.
SetFactory("OpenCASCADE");

DefineConstant[
  n_fins     = { 8,     Name "Fins/number" },
  fin        = { 1e-3,  Name "Fins/thickness" },
  fin_height = { 15e-3, Name "Fins/height" },
  length     = { 40e-3, Name "Plate/length (x)" },
  width      = { 40e-3, Name "Plate/width (y)" },
  plate      = { 3e-3,  Name "Plate/thickness" },
  chip       = { 12e-3, Name "Chip/side" },
  chip_depth = { 1e-3,  Name "Chip/thickness" },
  h          = { 2e-3,  Name "Mesh size" }
];

// Plate from z = 0 up, chip below z = 0, both centred on the z axis.
Box(1) = {-length/2, -width/2, 0, length, width, plate};
pitch = (width - fin) / (n_fins - 1);
For i In {0 : n_fins - 1}
  Box(10 + i) = {-length/2, -width/2 + i*pitch, plate, length, fin, fin_height};
EndFor
Box(2) = {-chip/2, -chip/2, -chip_depth, chip, chip, chip_depth};

// Plate and fins are one body; the fragments give chip and plate the same triangles on their contact.
sink() = BooleanUnion{ Volume{1}; Delete; }{ Volume{10 : 10 + n_fins - 1}; Delete; };
parts() = BooleanFragments{ Volume{sink()}; Delete; }{ Volume{2}; Delete; };

e = 1e-6;
all_volumes() = Volume{:};
chip_volume() = Volume In BoundingBox{-chip/2 - e, -chip/2 - e, -chip_depth - e, chip/2 + e, chip/2 + e, e};
all_volumes() -= chip_volume();
Physical Volume("fins") = {all_volumes()};
Physical Volume("chip") = {chip_volume()};

underside() = Surface In BoundingBox{-chip/2 - e, -chip/2 - e, -chip_depth - e, chip/2 + e, chip/2 + e, -chip_depth + e};
contact() = Surface In BoundingBox{-chip/2 - e, -chip/2 - e, -e, chip/2 + e, chip/2 + e, e};
air() = Surface{:};
air() -= underside();
air() -= contact();
Physical Surface("base") = {underside()};
Physical Surface("air") = {air()};

Mesh.MeshSizeMin = h;
Mesh.MeshSizeMax = h;
