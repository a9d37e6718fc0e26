// The upper half of the front of a cylinder of radius 1, in a flow along x.
Point(1) = {0, 0, 0};
Point(2) = {-1, 0, 0};
Point(3) = {0, 1, 0};
Point(4) = {0, 4, 0};
Point(5) = {-2.5, 0, 0};
Line(1) = {5, 2};
Circle(2) = {2, 1, 3};
Line(3) = {3, 4};
Ellipse(4) = {4, 1, 4, 5};
Curve Loop(1) = {1, 2, 3, 4};
Plane Surface(1) = {1};
Physical Surface("gas") = {1};
Physical Curve("axis") = {1};
Physical Curve("cylinder") = {2};
Physical Curve("outlet") = {3};
Physical Curve("inlet") = {4};
