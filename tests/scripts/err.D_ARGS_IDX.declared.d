/* @sonde: -Z */
sched:::on-cpu { trace(args[0]); }
/* @rows: args.declared */
