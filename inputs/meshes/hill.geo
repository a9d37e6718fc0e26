// Ground with a hill on it, in hexes: blocks whose edges at the top follow the height of the ground. Lengths in metres.
// gmsh -3 hill.geo; -setnumber h 250 for smaller cells.
DefineConstant[ h = { 500, Name "size of the cells" } ];
half = 3000; depth = 3000; blocks = 4; between = 8;
height = 500; radius = 1000; centre = -1500;        // of the hill, which stands at (centre, 0)
step = 2 * half / blocks;
n = Ceil(step / h - 1e-9) + 1;                      // nodes along an edge of a block
levels = Ceil(depth / h - 1e-9) + 1;

Macro Ground
  ground = height * Exp(-((px - centre)^2 + py^2) / radius^2);
Return

// Points 100 + and 200 + of the corners at the top and at the bottom.
For j In {0:blocks}
  For i In {0:blocks}
    px = -half + i * step; py = -half + j * step;
    Call Ground;
    k = j * (blocks + 1) + i;
    Point(100 + k) = {px, py, ground};
    Point(200 + k) = {px, py, -depth};
    Line(300 + k) = {200 + k, 100 + k};
    Transfinite Curve {300 + k} = levels;
  EndFor
EndFor

// Curves 1000 + (top) and 1200 + (bottom) along x, 1400 + and 1600 + along y.
point = 5000;
For j In {0:blocks}
  For i In {0:blocks}
    k = j * (blocks + 1) + i;
    For along In {0:1}
      next = along == 0 ? k + 1 : k + blocks + 1;
      If ((along == 0 && i < blocks) || (along == 1 && j < blocks))
        path[] = {100 + k};
        For m In {1:between - 1}
          px = -half + i * step + (along == 0 ? m * step / between : 0);
          py = -half + j * step + (along == 1 ? m * step / between : 0);
          Call Ground;
          Point(point) = {px, py, ground};
          path[] += point;
          point = point + 1;
        EndFor
        path[] += 100 + next;
        Spline(1000 + 400 * along + k) = path[];
        Line(1200 + 400 * along + k) = {200 + k, 200 + next};
        Transfinite Curve {1000 + 400 * along + k, 1200 + 400 * along + k} = n;
      EndIf
    EndFor
  EndFor
EndFor

// Upright sides of blocks: 2000 + along x, 2200 + along y.
For j In {0:blocks}
  For i In {0:blocks}
    k = j * (blocks + 1) + i;
    If (i < blocks)
      Curve Loop(2000 + k) = {1200 + k, 300 + k + 1, -(1000 + k), -(300 + k)};
      Surface(2000 + k) = {2000 + k};
    EndIf
    If (j < blocks)
      Curve Loop(2200 + k) = {1600 + k, 300 + k + blocks + 1, -(1400 + k), -(300 + k)};
      Surface(2200 + k) = {2200 + k};
    EndIf
  EndFor
EndFor

// Tops 2400 +, bottoms 2600 +, and the blocks themselves.
top[] = {}; bottom[] = {}; sides[] = {}; all[] = {};
For j In {0:blocks - 1}
  For i In {0:blocks - 1}
    k = j * (blocks + 1) + i; up = k + blocks + 1;
    Curve Loop(2400 + k) = {1000 + k, 1400 + k + 1, -(1000 + up), -(1400 + k)};
    Surface(2400 + k) = {2400 + k};
    Curve Loop(2600 + k) = {1200 + k, 1600 + k + 1, -(1200 + up), -(1600 + k)};
    Surface(2600 + k) = {2600 + k};
    Surface Loop(k + 1) = {2400 + k, 2600 + k, 2000 + k, 2000 + up, 2200 + k, 2200 + k + 1};
    Volume(k + 1) = {k + 1};
    top[] += 2400 + k; bottom[] += 2600 + k; all[] += k + 1;
  EndFor
EndFor
For i In {0:blocks - 1}
  sides[] += {2000 + i, 2000 + blocks * (blocks + 1) + i, 2200 + i * (blocks + 1), 2200 + i * (blocks + 1) + blocks};
EndFor
Transfinite Surface "*"; Recombine Surface "*"; Transfinite Volume "*";
Physical Volume("ground") = all[];
Physical Surface("surface") = top[];
Physical Surface("bottom") = bottom[];
Physical Surface("sides") = sides[];
