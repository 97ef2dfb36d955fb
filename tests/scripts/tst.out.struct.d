/* @rows: out.struct act.trace */
/* @sonde: */
/* @cpu: 0 */
/* a struct is its bytes */
struct pair { int a; char b[3]; };
struct pair p;
BEGIN { p.a = 0x41424344; p.b[0] = 'x'; p.b[2] = (char)-1; trace(p); exit(0); }
