/* @rows: pid.provider_number */
/* @program: aliases -O1 */
/* @sonde: -q -c @program@ */
/* @status: 1 */
/* @stderr: probe description p*d*:a.out:twice:entry does not match any probes */
/* A glob alone makes no probes. */
p*d*:a.out:twice:entry { }
