/* @rows: cmd.Gh */
/* @command: -h -s @script@ -o @scratch@/x.h */
typedef struct thing thing_t;

provider app {
	probe start(int, thing_t *;
	probe end(unknown_t one, ...);
	porbe other();
};
