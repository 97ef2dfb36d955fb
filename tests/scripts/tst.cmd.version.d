/* @rows: cmd.V */
/* @command: -V */
/* the version, and nothing else */
