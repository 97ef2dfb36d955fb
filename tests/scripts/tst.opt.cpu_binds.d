/* @rows: opt.cpu_binds */
/* @sonde: -q -x cpu=0 */
/* With -x cpu our own probes fire on that CPU. */

BEGIN { trace(cpu); }
tick-30ms { trace(cpu); exit(0); }
END { trace(cpu); }
