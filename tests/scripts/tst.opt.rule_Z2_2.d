/* @sonde: -q -xdynvarsize=40 */
BEGIN { v[10] = 5; v[20] = 6; v[30] = 0; printf("%d", v[10] * v[20]); exit(0); }
