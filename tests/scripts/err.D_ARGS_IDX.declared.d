/* @sonde: -Z */
sched:::schedctl-yield { trace(args[0]); }
/* @rows: args.declared */
