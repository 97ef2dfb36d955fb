/* @command: -i 1 aa bb -i 2 */
/* @status: 1 */
/* @stderr: invalid probe specifier 1: extraneous argument 'bb' ($2 is not referenced) */
