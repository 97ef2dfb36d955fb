#!/usr/sbin/dtrace -s
#pragma D option quiet
dtrace:::BEGIN { printf("Tracing... Hit Ctrl-C to end.\n"); }
syscall:::entry { @num[execname] = count(); }
dtrace:::END { printa("%-20s %@12d\n", @num); }
