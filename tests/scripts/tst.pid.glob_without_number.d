/* @rows: pid.provider_number */
/* @program: aliases -O1 */
/* @sonde: -q -c @program@ */
/* @status: 1 */
/* @stderr: probe description pid*:a.out:twice:entry does not match any probes */
/* A glob alone makes no probes. */
pid*:a.out:twice:entry { }
