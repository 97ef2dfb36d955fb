BEGIN { 3(1); }
