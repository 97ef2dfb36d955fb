/* @sonde: -C -q */
#define Q 4
BEGIN { trace(Q); trace(nosuch); exit(0); }
/* @rows: cpp.own_name */
