/* @sonde: -e */
#pragma D option pspec
BEGIN { exit(0); }
