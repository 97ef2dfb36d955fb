/* @rows: fun.progenyof */
/* @sonde: -q -c "/usr/bin/env /usr/bin/env /bin/true" */
/* a process that runs other programs stays who it is */
int execs; int mine;
proc:::exec-success { execs++; mine += progenyof($target) && pid == $target; }
END { printf("%d\n", execs > 0 && execs == mine); }
