/* @rows: cmd.one_mode */
/* @command: -l -V -n BEGIN */
/* @status: 2 */
/* @stderr: only one of */
/* more than one mode */
