/* @rows: act.symbols_quiet */
/* usym() and its like fill 52 columns as actions, -q or not; %A in a format gives the bare name. */

BEGIN { usym(0x10); umod(0x11); ufunc(0x12); uaddr(0x13); printf("|%A|\n", 0x14); exit(0); }
