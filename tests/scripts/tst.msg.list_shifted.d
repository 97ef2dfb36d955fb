/* @rows: msg.hint_below */
/* @command: -l -n syscall:*open* */
/* @stderr: failed to match ::syscall:*open*: No probe matches description */
/* @stderr: did you mean syscall:vmlinux:*open*:entry? */
