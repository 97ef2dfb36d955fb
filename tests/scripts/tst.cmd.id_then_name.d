/* @rows: cmd.i */
/* @command: -i 3-3 */
/* @status: 1 */
/* @stderr: invalid probe specifier 3-3: probe description :::-3 does not match any probes */
/* What -i takes is read as a program. */
