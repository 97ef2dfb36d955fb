BEGIN { @a["x", 30] = sum(2); printa("[%*d]", @a); }
/* @rows: printa.star */
