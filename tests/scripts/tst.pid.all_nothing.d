/* @rows: pid.all */
/* @sonde: -q -c /bin/true */
/* @status: 1 */
/* @stderr: no traced process has mapped such a module yet */
pid*:nowhere*:main:entry { }
