/* @rows: opt.eofexit */
/* @sonde: -q -x eofexit */
/* @stdin: one line */
/* Standard input is a pipe, and at its end: so is the run. */
tick-10ms { ticks++; }
END { printf("%s\n", "ended with its input"); }
