#pragma D depends_on provider nosuch

inline string absent = "from a library";
