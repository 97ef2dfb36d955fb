/* @rows: cmd.i */
/* @command: -i -5 */
/* @status: 1 */
/* @stderr: invalid probe specifier -5: probe description :::-5 does not match any probes */
/* What -i takes is read as a program. */
