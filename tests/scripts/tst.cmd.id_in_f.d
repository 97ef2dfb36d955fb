/* @rows: cmd.f clause.by_id */
/* @command: -f 9.5 */
/* @status: 1 */
/* @stderr: invalid probe specifier 9.5: probe identifier 9 not permitted when specifying functions */
/* -P, -m and -f take names only. */
