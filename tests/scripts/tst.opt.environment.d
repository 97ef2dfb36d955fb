/* @rows: opt.environment opt.quiet opt.defaultargs */
/* @environment: DTRACE_OPT_QUIET= */
/* @environment: DTRACE_OPT_STRSIZE=5 */
/* @environment: DTRACE_OPT_DEFAULTARGS=yes */
/* @sonde: -x strsize=4 */
/* the environment presets; -x comes after it */
BEGIN { x = "123456789"; printf("%s %d\n", x, $1); exit(0); }
