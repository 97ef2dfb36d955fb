inline int n = 3;
inline int n = 4;

/* @rows: inline.redefined */
