#pragma D depends_on library two.d

inline int one = 1;
