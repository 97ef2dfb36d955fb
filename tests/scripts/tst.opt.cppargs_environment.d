/* @rows: opt.cppargs */
/* @sonde: -q -C */
/* @environment: DTRACE_OPT_CPPARGS=-DFOO=5 */

BEGIN { trace(FOO); exit(0); }
