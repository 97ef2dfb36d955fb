/* @rows: opt.outbufsize */
/* @sonde: -q -x outbufsize=1 -x droptags */
/* @stderr: [DTRACEDROP_OUTPUT] 2 output drops on CPU */
/* What finds no room in the output is dropped and counted: the second and third of three records that come at once. Aggregations never are. */
BEGIN { printf("%s\n", "first"); @a["all"] = count(); }
BEGIN { printf("%s\n", "second"); @a["all"] = count(); }
BEGIN { printf("%s\n", "third"); @a["all"] = count(); exit(0); }
END { printf("%s\n", "END waits"); printa("%s %@d\n", @a); }
