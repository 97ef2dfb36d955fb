/* @program: frames -O2 */
/* @sonde: -q -c @program@ */
/* @rows: bv.args */
/* args[1] of signal-handle tells who sent it, and how. */
proc:::signal-handle { printf("%d %d %d %d\n", args[0] == SIGUSR1, args[1]->si_signo, args[1]->si_pid == pid, args[1]->si_code); }
