/* @rows: msg.hint_below */
/* @command: --json -n BEGIN */
/* @status: 2 */
/* @stderr: JSON lines: --format=jsonl */
