/* @rows: cmd.no_such_command */
/* @command: -q -c ./nosuch -n BEGIN */
/* @status: 1 */
/* @stderr: failed to execute ./nosuch: No such file or directory */


