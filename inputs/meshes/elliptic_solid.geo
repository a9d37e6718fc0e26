// The plate of elliptic_plate.geo, 0.6 thick.
solid = 1;
Include "elliptic_plate.geo";
