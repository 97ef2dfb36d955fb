/* @rows: cmd.i */
/* @command: -i q7 */
/* @status: 1 */
/* @stderr: invalid probe specifier q7: probe description :::q7 does not match any probes */
/* What -i takes is read as a program. */
