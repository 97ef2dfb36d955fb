/* @rows: args.declared */
/* @sonde: -q -Z */
/* args[] of probes that only DTrace has have their types. */

sched:::enqueue { q[args[2]->cpu_id] = 1; @e[args[1]->pr_fname] = count(); }
sched:::dequeue { @o[args[0]->pr_lwpid] = max(args[3]); }
nosuch:::probe { trace(args[3] + 1); }
BEGIN { trace(B_READ); trace(B_WRITE); trace(B_ASYNC); exit(0); }
