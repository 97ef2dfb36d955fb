/* @sonde: -q -xdynvarsize=60 */
BEGIN { v[10] = 5; v[20] = 6; v[30] = 7; v[20] = 0; v[40] = 8; printf("%d %d %d", v[10], v[30], v[40]); exit(0); }
