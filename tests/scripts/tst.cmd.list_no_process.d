/* @rows: cmd.l */
/* @command: -l -n pid999999999:libc.so.6:malloc:entry */
/* @stderr: No probe matches description */
/* @stderr: there is no process 999999999 */

/* A process that is not there has no functions to look at. */
