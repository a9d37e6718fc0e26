// Two layers that lie on each other along y = 1 and share no points there; their meshes do not match.
Point(1) = {0, 0, 0}; Point(2) = {1, 0, 0}; Point(3) = {1, 1, 0}; Point(4) = {0, 1, 0};
Line(1) = {1, 2}; Line(2) = {2, 3}; Line(3) = {3, 4}; Line(4) = {4, 1};
Curve Loop(1) = {1, 2, 3, 4}; Plane Surface(1) = {1};
Point(11) = {0, 1, 0}; Point(12) = {1, 1, 0}; Point(13) = {1, 2, 0}; Point(14) = {0, 2, 0};
Line(11) = {11, 12}; Line(12) = {12, 13}; Line(13) = {13, 14}; Line(14) = {14, 11};
Curve Loop(11) = {11, 12, 13, 14}; Plane Surface(11) = {11};
Transfinite Curve {1 : 4} = 7;
Transfinite Curve {11 : 14} = 10;
Physical Curve("bottom") = {1};
Physical Curve("top_of_lower") = {3};
Physical Curve("bottom_of_upper") = {11};
Physical Curve("top") = {13};
Physical Surface("lower") = {1};
Physical Surface("upper") = {11};
