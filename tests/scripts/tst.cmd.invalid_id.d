/* @rows: msg.invalid_id cmd.i */
/* @command: -i 0x */
/* @status: 1 */
/* @stderr: invalid probe identifier 0x */
/* an id is a decimal number */
