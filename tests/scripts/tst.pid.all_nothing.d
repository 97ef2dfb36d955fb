/* @rows: pid.all */
/* @sonde: -q -c /bin/true */
/* @status: 1 */
/* @stderr: no traced process has mapped such a module by now; with -Z, those that come later are waited for */
pid*:nowhere*:main:entry { }
