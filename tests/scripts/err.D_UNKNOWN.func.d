BEGIN { func(0x10); }
/* @rows: act.func */
/* @sonde: -x source=ptrace */
