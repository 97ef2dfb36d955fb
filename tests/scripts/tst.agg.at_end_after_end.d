/* @rows: agg.at_end */
/* after what END prints */
BEGIN { @ = count(); exit(0); }
END { printf("end\n"); }
