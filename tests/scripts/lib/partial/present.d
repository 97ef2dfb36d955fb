#pragma D depends_on provider dtrace
#pragma D depends_on module vmlinux

inline int present = 5;
