/* @rows: cmd.i cmd.l */
/* @command: -l -i 3-3 */
/* @stderr: failed to match :::-3: No probe matches description */
/* The header, what is there, and what is not. */
