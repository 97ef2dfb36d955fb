#pragma D option printsize=100
struct big { char text[101]; };
BEGIN { print((struct big *)0); }
/* @rows: act.print */
