/* @rows: type.typedef type.array */
/* A typedef of an array, and of a typedef. */
typedef int row[3];
typedef row matrix[2];
matrix v;

BEGIN
{
	v[1][2] = 7;
	printf("%d %d %d\n", v[1][2], sizeof (matrix), sizeof (v[0]));
	exit(0);
}
