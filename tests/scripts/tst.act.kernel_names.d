/* @rows: act.sym act.func act.mod */
/* @sonde: -q -x source=ptrace */
/* Where nobody sees the kernel its addresses are numbers. */
BEGIN { printf("%A %A %A\n", sym(0x10), func(0x11), mod(0x12)); exit(0); }
