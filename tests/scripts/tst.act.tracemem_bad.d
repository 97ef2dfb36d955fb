/* @rows: act.tracemem fault.badaddr */
/* @stderr: invalid address (0x8) */
BEGIN { tracemem(8, 4); }
ERROR { exit(0); }
