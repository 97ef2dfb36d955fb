/* @rows: opt.environment */
/* @environment: DTRACE_OPT_BUFSIZE=many */
/* @status: 1 */
/* @stderr: failed to set DTRACE_OPT_BUFSIZE: Invalid value for specified option */
BEGIN { exit(0); }
