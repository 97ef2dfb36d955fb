/* @rows: opt.duration_bare */
/* @sonde: -q -x duration=1 */
/* A bare number is seconds. */
BEGIN { began = timestamp; }
END { printf("%d\n", (timestamp - began) / 1000000000 >= 1); }
