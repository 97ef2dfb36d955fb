/* @rows: pid.unknown_function */
/* @program: structs -O2 -s */
/* @sonde: -q -c @program@ */
/* @status: 1 */
/* @stderr: does not match any probes: 'structs-O2-s' is stripped of its symbols */
/* Where the program has no symbols at all, that is told. */
pid$target:a.out::entry { }
