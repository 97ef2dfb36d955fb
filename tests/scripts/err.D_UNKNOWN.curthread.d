BEGIN { trace(curthread); }

/* @rows: bv.curthread */
/* @sonde: -x source=ptrace */
