/* @rows: opt.cppargs */
/* @sonde: -q -C -x cppargs='-DFOO=3 -DBAR=4' */
/* cppargs are words for the preprocessor. */

BEGIN { trace(FOO + BAR); exit(0); }
