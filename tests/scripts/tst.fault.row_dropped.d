/* @rows: fault.clause_only */
/* @sonde: */
/* @cpu: 0 */
/* @stderr: invalid address (0x8) in action #3 */
/* nothing of the row comes, not even what was recorded before the fault */
BEGIN { trace("lost"); @a = count(); trace(*(int *)8); trace("lost"); }
BEGIN { trace("kept"); exit(0); }
