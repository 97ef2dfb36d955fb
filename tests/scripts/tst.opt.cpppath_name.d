/* @rows: cpp.argv0 */
/* @command: -C -q -x cpppath=/bin/cat -s @script@ */
/* @status: 1 */
/* @stderr: cat: invalid option */
/* The preprocessor is called by its own name. */

BEGIN { exit(0); }
