/* @sonde: -q -Z */
io:::start { @[args[1]->dev_statname, args[2]->fi_pathname] = sum(args[0]->b_bcount); }
BEGIN { exit(0); }
