/* @rows: msg.nothing */
/* @command: -q -w */
/* @status: 1 */
/* @stderr: no probes specified */
/* options, but nothing to trace */
