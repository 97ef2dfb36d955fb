/* @rows: act.copyout fault.badaddr */
/* @sonde: -q -w */
/* @stderr: invalid address */
/* BEGIN fires in sonde, whose memory nobody writes to */
BEGIN { copyout("ab", 0x1000, 2); }
ERROR { exit(0); }
