/* @rows: pid.provider_number */
/* @program: aliases -O1 */
/* @sonde: -q -c @program@ */
/* A provider that ends in a number means that process, globs and all. */
p*d$target:a.out:twice:entry { printf("%s ", probefunc); }
