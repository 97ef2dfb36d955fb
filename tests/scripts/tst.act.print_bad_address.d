/* @rows: act.print fault.badaddr */
/* @stderr: invalid address (0x10) */
BEGIN { print((int *)16); }
ERROR { exit(0); }
