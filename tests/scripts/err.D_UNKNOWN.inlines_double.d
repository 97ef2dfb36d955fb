inline int a[int n] = n + n;
inline int b[int n] = a[a[n]];
inline int c[int n] = b[b[n]];
inline int d[int n] = c[c[n]];
inline int e[int n] = d[d[n]];
inline int f[int n] = e[e[n]];

BEGIN
{
	trace(f[pid]);
}
