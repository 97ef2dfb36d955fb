BEGIN { tracemem(arg0, pid); }
