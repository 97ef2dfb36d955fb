#pragma D depends_on library nosuch.d

inline int one = 1;
