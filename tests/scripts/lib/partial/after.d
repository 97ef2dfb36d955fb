#pragma D depends_on library absent.d

inline string absent_too = absent;
