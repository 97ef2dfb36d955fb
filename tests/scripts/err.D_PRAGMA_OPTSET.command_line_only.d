#pragma D option libdir=/tmp
BEGIN { exit(0); }
/* @rows: opt.libdir pragma.option */
