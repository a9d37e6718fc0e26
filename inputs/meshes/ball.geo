// The unit ball; the size of its cells is the deck's (mesh.size).
SetFactory("OpenCASCADE");
Sphere(1) = {0, 0, 0, 1};
Physical Volume("ball") = {1};
Physical Surface("surface") = {1};
