BEGIN { stack(); }
/* @sonde: -x source=ptrace */
