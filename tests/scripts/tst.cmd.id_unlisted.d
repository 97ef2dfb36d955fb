/* @rows: cmd.i cmd.l */
/* @command: -l -i -4 */
/* @stderr: failed to match :::-4: No probe matches description */
/* The header always comes. */
