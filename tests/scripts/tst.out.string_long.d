/* @rows: out.string act.trace */
/* @sonde: */
/* @cpu: 0 */
/* at least 33 columns, and all of it when it is longer */
BEGIN { trace("short"); trace("a string that is longer than thirty-three columns"); trace(""); exit(0); }
