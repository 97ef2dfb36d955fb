#!/usr/bin/env -S sonde -s
/*
 * Structures, translators and inlines of one's own: opens, as the flags that they were made with.
 *
 *   sonde -s own-translators.d -c 'cat /etc/hostname'
 */
#pragma D option quiet

inline int ACCESS_MODE = 3;
inline int is_for_writing[int flags] = (flags & ACCESS_MODE) != O_RDONLY;
inline string how[int flags] = is_for_writing[flags] ? (flags & O_CREAT ? "creates" : "writes") : "reads";
inline string lasting[int flags] = flags & O_CLOEXEC ? "" : ", for its children too";

struct openargs {
	uint64_t path;
	int flags;
};

typedef struct openinfo {
	string op_who;
	string op_path;
	string op_base;
	string op_how;
	string op_lasting;
} openinfo_t;

translator openinfo_t < struct openargs *a > {
	op_who = strjoin(execname, strjoin("/", lltostr(pid)));
	op_path = copyinstr(a->path);
	op_base = basename(copyinstr(a->path));
	op_how = how[a->flags];
	op_lasting = lasting[a->flags];
};

syscall::openat:entry
{
	this->a = (struct openargs *)alloca(sizeof (struct openargs));
	this->a->path = arg1;
	this->a->flags = arg2;
	printf("%s %s %s%s\n", execname, xlate <openinfo_t *> (this->a)->op_how, xlate <openinfo_t *> (this->a)->op_path,
	    xlate <openinfo_t *> (this->a)->op_lasting);
	@[xlate <openinfo_t *> (this->a)->op_base] = count();
}

END
{
	printf("\n");
	printa("%@6d %s\n", @);
}
