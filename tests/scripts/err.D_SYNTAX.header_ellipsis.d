/* @rows: cmd.Gh */
/* @command: -h -s @script@ -o @scratch@/x.h */
provider app {
	probe start(int, ...);
	probe end(unknown_t, const other_t *name);
}
