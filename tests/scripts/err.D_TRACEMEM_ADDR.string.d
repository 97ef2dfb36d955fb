BEGIN { tracemem("abc", 3); }
