/* @rows: cmd.p status.fatal */
/* @command: -p 4194305 -n BEGIN */
/* @status: 1 */
/* @stderr: 4194305 */
/* no such process */
