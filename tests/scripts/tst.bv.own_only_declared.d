/* @sonde: -q */
/* @rows: bv.own */
/* A declaration alone is enough: nothing assigns these. */
int vpid;
string container;
BEGIN { printf("%d \"%s\"\n", vpid, container); exit(0); }
