/* @rows: fun.copyinstr_size */
/* @sonde: -q -x strsize=7 */
/* copyinstr() takes no more than strsize bytes, the NUL among them. */

BEGIN
{
	this->argv = curpsinfo->pr_argv;
	this->first = *(uint64_t *)copyin(this->argv + 8, 8);
	printf("[%s]", copyinstr(this->first + 0, 3));
	this->option = *(uint64_t *)copyin(this->argv + 24, 8);
	printf("[%s]\n", copyinstr(this->option));
	exit(0);
	exit(0);
}
