/* @rows: cmd.e */
/* @command: -e open ls */
/* @status: 1 */
/* @stderr: no probes specified */
/* @stderr: the calls of a program: sonde -e trace=open PROGRAM ARGS */

/* Words without a script, as in strace -e open ls: nobody would compile anything. */
