/* @rows: cmd.Gh */
/* @command: -h */
/* @status: 2 */
/* @stderr: -h requires one or more scripts */
/* -h without a script is a usage error. */
