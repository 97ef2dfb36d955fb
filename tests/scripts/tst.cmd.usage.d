/* @rows: cmd.usage status.usage */
/* @command: -n */
/* @status: 2 */
/* @stderr: Usage: sonde */
/* an option without its argument */
