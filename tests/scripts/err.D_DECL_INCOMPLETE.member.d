struct later;
struct now { struct later x; };

/* @rows: type.incomplete */
