/* @sonde: -e */
int func(int);
BEGIN { exit(0); }
