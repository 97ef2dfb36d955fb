/* @rows: var.dynvarsize_payload */
/* @sonde: -q -x dynvarsize=40 */
/* Storing 0 into what is not there costs nothing. */

BEGIN { v[10] = 5; v[20] = 6; v[30] = 0; printf("%d\n", v[10] * v[20]); exit(0); }
