struct box { int width; string label; };
inline int twice[int n] = n * 2;
inline int area[int side] = side * side;
translator struct box < int n > { width = n; label = n == 4 ? "four" : "other"; };
