/* @sonde: -q -Z */
sched:::enqueue { q[args[2]->cpu_id] = 1; @[args[1]->pr_fname] = count(); }
BEGIN { exit(0); }
