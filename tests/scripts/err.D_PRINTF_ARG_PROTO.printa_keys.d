BEGIN { @a["s"] = count(); printa("%s %s %@d\n", @a); }
/* @rows: fmt.printa_keys */
