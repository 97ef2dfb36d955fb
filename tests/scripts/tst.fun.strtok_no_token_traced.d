/* @rows: fun.strtok */
/* @stderr: invalid address (0x0) */
/* tracing the NULL at the end faults */
BEGIN { trace(strtok(":::", ":")); }
ERROR { exit(0); }
