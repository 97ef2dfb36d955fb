BEGIN { curpsinfo; }
