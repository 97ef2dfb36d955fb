/* @rows: msg.hint_below */
/* @command: -q -n 'BEGIN { exit(0); }' -c 'true | cat' */
/* @stderr: -c starts no shell, the words all go to true */
/* @stderr: for a shell: -c "sh -c 'true | cat'" */
