inline int one = 1;
inline int two = ;
