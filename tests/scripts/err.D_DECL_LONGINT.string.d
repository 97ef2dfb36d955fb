long string v;
