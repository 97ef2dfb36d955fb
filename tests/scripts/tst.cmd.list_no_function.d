/* @rows: cmd.l */
/* @command: -l -n pid$target:a.out:nosuch*:entry -c true */
/* @stderr: a.out:nosuch*:entry: No probe matches description */
/* @stderr: its modules have no such function */

/* The provider pid<N> is no unknown one, although it has no probes yet. */
