/* @rows: fun.cleanpath_end */
/* cleanpath() ends without a slash; what comes to nothing is a dot. */

BEGIN
{
	printf("[%s][%s][%s][%s]", cleanpath("./"), cleanpath("p/q/"), cleanpath("/p//q/./"), cleanpath("p/.."));
	printf("[%s][%s][%s]\n", cleanpath(""), cleanpath("/"), cleanpath("../"));
	exit(0);
}
