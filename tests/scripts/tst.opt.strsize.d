/* @rows: opt.strsize type.strsize */
/* @sonde: -q -x strsize=6 */
/* values keep so many characters */
BEGIN { x = "123456789"; printf("[%s] %d %d\n", x, strlen(x), sizeof (x)); exit(0); }
