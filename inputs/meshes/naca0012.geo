// The profile NACA 0012 of chord 1, with a sharp trailing edge at (1, 0), in a disk of radius 20.
n = 60;       // points of a side, close to each other at the ends
h = 0.016;    // size of cells in the middle of a side
radius = 20;
For i In {0:n}
  x = 0.5 * (1 + Cos(Pi * i / n));
  y = 0.6 * (0.2969 * Sqrt(x) - 0.1260 * x - 0.3516 * x^2 + 0.2843 * x^3 - 0.1036 * x^4);
  size = x > 0.98 ? 0.5 * h : h * (0.3 + 4.4 * x * (1 - x));
  Point(1 + i) = {x, i == 0 ? 0 : y, 0, size};
  If (i > 0 && i < n)
    Point(2 * n + 1 - i) = {x, -y, 0, size};
  EndIf
EndFor
Spline(1) = {1 : n + 1};
Spline(2) = {n + 1 : 2 * n, 1};
Point(1001) = {0.5, 0, 0};
Point(1002) = {0.5 + radius, 0, 0, radius / 6};
Point(1003) = {0.5, radius, 0, radius / 6};
Point(1004) = {0.5 - radius, 0, 0, radius / 6};
Point(1005) = {0.5, -radius, 0, radius / 6};
Circle(3) = {1002, 1001, 1003};
Circle(4) = {1003, 1001, 1004};
Circle(5) = {1004, 1001, 1005};
Circle(6) = {1005, 1001, 1002};
Curve Loop(1) = {3, 4, 5, 6};
Curve Loop(2) = {1, 2};
Plane Surface(1) = {1, 2};
Physical Surface("gas") = {1};
Physical Curve("wing") = {1, 2};
Physical Curve("far") = {3, 4, 5, 6};
Mesh.Algorithm = 5;
