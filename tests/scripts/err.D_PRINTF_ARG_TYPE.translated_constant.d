BEGIN
{
	printf("%s", curpsinfo->pr_zoneid);
}
