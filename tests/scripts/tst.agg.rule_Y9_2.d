BEGIN { @m = max(9); clear(@m); printa("%@d", @m); exit(0); }
