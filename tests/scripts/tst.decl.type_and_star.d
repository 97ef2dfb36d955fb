/* @rows: decl.type_and_star */
/* A type and a star begin a declaration; another name and a star a description. */
typedef struct point { int x; } point_t;
point_t*here;
char*word;

B*N
{
	printf("%d %d\n", here == NULL, word == NULL);
	exit(0);
}
