BEGIN { mod(0x10); }
/* @rows: act.mod */
/* @sonde: -x source=ptrace */
