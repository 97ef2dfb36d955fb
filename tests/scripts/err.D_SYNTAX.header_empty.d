/* @rows: cmd.Gh */
/* @command: -h -s @script@ -o @scratch@/x.h */
struct thing {
	size_t size;
	thing_t *next;
};
