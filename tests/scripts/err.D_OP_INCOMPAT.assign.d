BEGIN { x = 1; x = "abc"; }
