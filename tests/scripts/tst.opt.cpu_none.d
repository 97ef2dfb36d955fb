/* @rows: opt.cpu */
/* @sonde: -q -x cpu=100000 */
/* @status: 1 */
/* @stderr: there is no CPU 100000 */
BEGIN { exit(0); }
