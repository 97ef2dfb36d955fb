/* @rows: act.stack_everywhere */
/* @sonde: -q -x source=ptrace */
/* Where nobody sees the kernel its stack is empty, and an address shows as a number. */

BEGIN { stack(); trace("on"); @[stack()] = count(); printf("%A\n", func(0x10)); exit(0); }
