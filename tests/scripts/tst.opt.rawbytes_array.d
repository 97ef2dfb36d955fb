/* @rows: opt.rawbytes out.char_array */
/* an array of characters that is text, with and without */
char a[4];
BEGIN { a[0] = 'a'; a[1] = 'b'; trace(a); }
BEGIN { setopt("rawbytes"); }
BEGIN { trace(a); exit(0); }
