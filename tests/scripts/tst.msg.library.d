/* @rows: lib.load msg.script */
/* @command: -L lib/broken -s @script@ */
/* @status: 1 */
/* @stderr: failed to compile script tst.msg.library.d: "lib/broken/wrong.d", line 2: syntax error near ";" */
/* An error in a library names its file and line. */
BEGIN
{
}
