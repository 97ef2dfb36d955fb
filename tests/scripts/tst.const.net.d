/* @rows: const.net */
/* Families of addresses and protocols. */
BEGIN
{
  printf("%d %d %d\n", AF_UNIX, AF_INET, AF_INET6);
  printf("%d %d %d %d\n", IPPROTO_ICMP, IPPROTO_TCP, IPPROTO_UDP, IPPROTO_IPV6);
  printf("%d %d\n", ARPHRD_ETHER, ARPHRD_INFINIBAND);
  exit(0);
}
