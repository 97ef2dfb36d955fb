/* @rows: opt.duration */
/* @sonde: -q -x duration=300ms */
/* The run ends by itself. */
tick-10ms { ticks++; }
END { printf("%s\n", ticks > 0 ? "it ticked, and ended" : "no tick"); }
