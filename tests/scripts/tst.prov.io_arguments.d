/* @rows: args.declared */
/* @sonde: -q -Z */
/* args[] of providers that are elsewhere have their types. */

io:::start { @[args[1]->dev_statname, args[2]->fi_pathname] = sum(args[0]->b_bcount); }
sched:::enqueue { q[args[2]->cpu_id] = 1; @e[args[1]->pr_fname] = count(); }
sched:::off-cpu { @o[args[0]->pr_lwpid] = count(); }
tcp:::send { @t[args[2]->ip_daddr, args[4]->tcp_dport] = sum(args[2]->ip_plength); }
nosuch:::probe { trace(args[3] + 1); }
BEGIN { trace(B_READ); trace(B_WRITE); trace(B_ASYNC); exit(0); }
