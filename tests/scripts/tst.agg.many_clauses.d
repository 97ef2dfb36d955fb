/* @rows: agg.count */
/* one aggregation, used in several clauses */
BEGIN { @a["first"] = count(); }
BEGIN { @a["second"] = count(); @a["first"] = count(); }
BEGIN { exit(0); }
END { @a["end"] = count(); printa("%s %@d\n", @a); }
