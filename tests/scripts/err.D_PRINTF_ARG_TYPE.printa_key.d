BEGIN { @a["s"] = count(); printa("%d %@d\n", @a); }
/* @rows: fmt.printa_keys */
