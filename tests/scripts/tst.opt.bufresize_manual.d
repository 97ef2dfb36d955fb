/* @rows: opt.bufresize */
/* @sonde: -q -x bufsize=8t -x bufresize=manual -c /bin/true */
/* @status: 1 */
/* @stderr: could not enable tracing: */
/* with manual that is an error */
END { printf("never seen\n"); }
