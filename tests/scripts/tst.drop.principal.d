/* @rows: drop.principal opt.bufsize */
/* @sonde: -q -b 4k -c /bin/true */
/* @stderr: could not enable tracing: Enabling exceeds size of buffer */
/* @status: 1 */
/* a record that could never fit */
#pragma D option strsize=16k
syscall::write:entry { printf("%s\n", copyinstr(arg1)); }
