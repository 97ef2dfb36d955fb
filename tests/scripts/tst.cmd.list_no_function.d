/* @rows: cmd.l */
/* @command: -l -n pid$target:a.out:nosuch*:entry -c true */
/* @stderr: a.out:nosuch*:entry: No probe matches description */
/* @stderr: no such function is in its modules by now */

/* The provider pid<N> is no unknown one, although it has no probes yet. */
