#pragma D depends_on library one.d

inline int two = 2;
