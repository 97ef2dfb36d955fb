/* @rows: msg.no_file */
/* @command: -s /nonexistent.d */
/* @status: 1 */
/* @stderr: failed to open /nonexistent.d: No such file or directory */
/* a script that is not there */
