/* @rows: cmd.i */
/* @command: -i 0 */
/* @status: 1 */
/* @stderr: invalid probe specifier 0: invalid probe identifier 0: Unknown probe identifier */
/* What -i takes is read as a program. */
