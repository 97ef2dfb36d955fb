/* @sonde: -q */
/* @stderr: index out of bounds (3) */
/* an index that is computed is checked, in arrays of arrays and of structs too */
int row[4];
int grid[2][3];
struct holder { int m[3]; };
struct holder h;

BEGIN
{
	i = 1;
	row[i] = 5;
	grid[i][i + 1] = 6;
	h.m[i] = 7;
	printf("%d %d %d\n", row[1], grid[1][2], h.m[1]);
	i = 3;
}

BEGIN
{
	grid[1][i] = 1;
}

BEGIN
{
	h.m[i] = 1;
}

BEGIN
{
	row[i] = 8;
	printf("%d\n", row[3]);
	exit(0);
}
