#pragma D depends_on library z.d

inline int deep = twice[9];
struct box v;
