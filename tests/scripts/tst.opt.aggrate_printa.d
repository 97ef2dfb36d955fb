/* @rows: opt.aggrate_printa */
/* @sonde: -q -x aggrate=10s -x switchrate=50ms */
/* printa() shows the last picture, here the first; END sees all. */
BEGIN { @ = count(); }
tick-30ms { @ = count(); printa("%@d ", @); }
tick-30ms /++ticks == 3/ { exit(0); }
END { printa("%@d\n", @); }
