/* @rows: cmd.f */
/* @command: -l -f syscall::nanosleep */
/* @ids */
/* both probes of one function */
