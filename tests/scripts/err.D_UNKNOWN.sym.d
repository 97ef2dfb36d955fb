BEGIN { sym(0x10); }
/* @rows: act.sym */
/* @sonde: -x source=ptrace */
