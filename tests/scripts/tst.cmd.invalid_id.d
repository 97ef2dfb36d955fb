/* @rows: msg.invalid_id cmd.i */
/* @command: -i 0x */
/* @status: 1 */
/* @stderr: invalid probe identifier 0: Unknown probe identifier */
/* a run of digits is the id, here 0 */
