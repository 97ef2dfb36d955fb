// SPDX-License-Identifier: GPL-3.0-or-later
// Linux's numbers for x86-64, and DTrace's own.
#include <algorithm>
#include <array>

#include "compiler/library/library.h"

namespace sonde {
namespace {

constexpr std::array kConstants = std::to_array<LibraryConstant>({
    {"AF_ALG", 38}, {"AF_APPLETALK", 5}, {"AF_ASH", 18}, {"AF_ATMPVC", 8}, {"AF_ATMSVC", 20}, {"AF_AX25", 3},
    {"AF_BLUETOOTH", 31}, {"AF_BRIDGE", 7}, {"AF_CAIF", 37}, {"AF_CAN", 29}, {"AF_ECONET", 19}, {"AF_FILE", 1},
    {"AF_IB", 27}, {"AF_IEEE802154", 36}, {"AF_INET", 2}, {"AF_INET6", 10}, {"AF_IPX", 4}, {"AF_IRDA", 23},
    {"AF_ISDN", 34}, {"AF_IUCV", 32}, {"AF_KCM", 41}, {"AF_KEY", 15}, {"AF_LLC", 26}, {"AF_LOCAL", 1}, {"AF_MAX", 46},
    {"AF_MCTP", 45}, {"AF_MPLS", 28}, {"AF_NETBEUI", 13}, {"AF_NETLINK", 16}, {"AF_NETROM", 6}, {"AF_NFC", 39},
    {"AF_PACKET", 17}, {"AF_PHONET", 35}, {"AF_PPPOX", 24}, {"AF_QIPCRTR", 42}, {"AF_RDS", 21}, {"AF_ROSE", 11},
    {"AF_ROUTE", 16}, {"AF_RXRPC", 33}, {"AF_SECURITY", 14}, {"AF_SMC", 43}, {"AF_SNA", 22}, {"AF_TIPC", 30},
    {"AF_UNIX", 1}, {"AF_UNSPEC", 0}, {"AF_VSOCK", 40}, {"AF_WANPIPE", 25}, {"AF_X25", 9}, {"AF_XDP", 44},
    {"ARPHRD_ETHER", 1}, {"ARPHRD_INFINIBAND", 32}, {"B_FALSE", 0}, {"B_TRUE", 1}, {"CLD_CONTINUED", 6},
    {"CLD_DUMPED", 3}, {"CLD_EXITED", 1}, {"CLD_KILLED", 2}, {"CLD_STOPPED", 5}, {"CLD_TRAPPED", 4},
    {"DTRACEFLT_BADADDR", 1}, {"DTRACEFLT_BADALIGN", 2}, {"DTRACEFLT_BADINDEX", 11}, {"DTRACEFLT_BADSIZE", 10},
    {"DTRACEFLT_BADSTACK", 9}, {"DTRACEFLT_DIVZERO", 4}, {"DTRACEFLT_ILLOP", 3}, {"DTRACEFLT_KPRIV", 6},
    {"DTRACEFLT_LIBRARY", 1000}, {"DTRACEFLT_NOSCRATCH", 5}, {"DTRACEFLT_TUPOFLOW", 8}, {"DTRACEFLT_UNKNOWN", 0},
    {"DTRACEFLT_UPRIV", 7}, {"E2BIG", 7}, {"EACCES", 13}, {"EADDRINUSE", 98}, {"EADDRNOTAVAIL", 99}, {"EADV", 68},
    {"EAFNOSUPPORT", 97}, {"EAGAIN", 11}, {"EALREADY", 114}, {"EBADE", 52}, {"EBADF", 9}, {"EBADFD", 77},
    {"EBADMSG", 74}, {"EBADR", 53}, {"EBADRQC", 56}, {"EBADSLT", 57}, {"EBFONT", 59}, {"EBUSY", 16},
    {"ECANCELED", 125}, {"ECHILD", 10}, {"ECHRNG", 44}, {"ECOMM", 70}, {"ECONNABORTED", 103}, {"ECONNREFUSED", 111},
    {"ECONNRESET", 104}, {"EDEADLK", 35}, {"EDEADLOCK", 35}, {"EDESTADDRREQ", 89}, {"EDOM", 33}, {"EDOTDOT", 73},
    {"EDQUOT", 122}, {"EEXIST", 17}, {"EFAULT", 14}, {"EFBIG", 27}, {"EHOSTDOWN", 112}, {"EHOSTUNREACH", 113},
    {"EHWPOISON", 133}, {"EIDRM", 43}, {"EILSEQ", 84}, {"EINPROGRESS", 115}, {"EINTR", 4}, {"EINVAL", 22}, {"EIO", 5},
    {"EISCONN", 106}, {"EISDIR", 21}, {"EISNAM", 120}, {"EKEYEXPIRED", 127}, {"EKEYREJECTED", 129},
    {"EKEYREVOKED", 128}, {"EL2HLT", 51}, {"EL2NSYNC", 45}, {"EL3HLT", 46}, {"EL3RST", 47}, {"ELIBACC", 79},
    {"ELIBBAD", 80}, {"ELIBEXEC", 83}, {"ELIBMAX", 82}, {"ELIBSCN", 81}, {"ELNRNG", 48}, {"ELOOP", 40},
    {"EMEDIUMTYPE", 124}, {"EMFILE", 24}, {"EMLINK", 31}, {"EMSGSIZE", 90}, {"EMULTIHOP", 72}, {"ENAMETOOLONG", 36},
    {"ENAVAIL", 119}, {"ENETDOWN", 100}, {"ENETRESET", 102}, {"ENETUNREACH", 101}, {"ENFILE", 23}, {"ENOANO", 55},
    {"ENOBUFS", 105}, {"ENOCSI", 50}, {"ENODATA", 61}, {"ENODEV", 19}, {"ENOENT", 2}, {"ENOEXEC", 8}, {"ENOKEY", 126},
    {"ENOLCK", 37}, {"ENOLINK", 67}, {"ENOMEDIUM", 123}, {"ENOMEM", 12}, {"ENOMSG", 42}, {"ENONET", 64},
    {"ENOPKG", 65}, {"ENOPROTOOPT", 92}, {"ENOSPC", 28}, {"ENOSR", 63}, {"ENOSTR", 60}, {"ENOSYS", 38},
    {"ENOTBLK", 15}, {"ENOTCONN", 107}, {"ENOTDIR", 20}, {"ENOTEMPTY", 39}, {"ENOTNAM", 118},
    {"ENOTRECOVERABLE", 131}, {"ENOTSOCK", 88}, {"ENOTSUP", 95}, {"ENOTTY", 25}, {"ENOTUNIQ", 76}, {"ENXIO", 6},
    {"EOPNOTSUPP", 95}, {"EOVERFLOW", 75}, {"EOWNERDEAD", 130}, {"EPERM", 1}, {"EPFNOSUPPORT", 96}, {"EPIPE", 32},
    {"EPROTO", 71}, {"EPROTONOSUPPORT", 93}, {"EPROTOTYPE", 91}, {"ERANGE", 34}, {"EREMCHG", 78}, {"EREMOTE", 66},
    {"EREMOTEIO", 121}, {"ERESTART", 85}, {"ERFKILL", 132}, {"EROFS", 30}, {"ESHUTDOWN", 108},
    {"ESOCKTNOSUPPORT", 94}, {"ESPIPE", 29}, {"ESRCH", 3}, {"ESRMNT", 69}, {"ESTALE", 116}, {"ESTRPIPE", 86},
    {"ETIME", 62}, {"ETIMEDOUT", 110}, {"ETOOMANYREFS", 109}, {"ETXTBSY", 26}, {"EUCLEAN", 117}, {"EUNATCH", 49},
    {"EUSERS", 87}, {"EWOULDBLOCK", 11}, {"EXDEV", 18}, {"EXFULL", 54}, {"IPPROTO_AH", 51}, {"IPPROTO_BEETPH", 94},
    {"IPPROTO_COMP", 108}, {"IPPROTO_DCCP", 33}, {"IPPROTO_DSTOPTS", 60}, {"IPPROTO_EGP", 8}, {"IPPROTO_ENCAP", 98},
    {"IPPROTO_ESP", 50}, {"IPPROTO_ETHERNET", 143}, {"IPPROTO_FRAGMENT", 44}, {"IPPROTO_GRE", 47},
    {"IPPROTO_HOPOPTS", 0}, {"IPPROTO_ICMP", 1}, {"IPPROTO_ICMPV6", 58}, {"IPPROTO_IDP", 22}, {"IPPROTO_IGMP", 2},
    {"IPPROTO_IP", 0}, {"IPPROTO_IPIP", 4}, {"IPPROTO_IPV6", 41}, {"IPPROTO_MH", 135}, {"IPPROTO_MPLS", 137},
    {"IPPROTO_MPTCP", 262}, {"IPPROTO_MTP", 92}, {"IPPROTO_NONE", 59}, {"IPPROTO_PIM", 103}, {"IPPROTO_PUP", 12},
    {"IPPROTO_RAW", 255}, {"IPPROTO_ROUTING", 43}, {"IPPROTO_RSVP", 46}, {"IPPROTO_SCTP", 132}, {"IPPROTO_TCP", 6},
    {"IPPROTO_TP", 29}, {"IPPROTO_UDP", 17}, {"IPPROTO_UDPLITE", 136}, {"O_ACCMODE", 3}, {"O_APPEND", 1024},
    {"O_ASYNC", 8192}, {"O_CLOEXEC", 524288}, {"O_CREAT", 64}, {"O_DIRECT", 16384}, {"O_DIRECTORY", 65536},
    {"O_DSYNC", 4096}, {"O_EXCL", 128}, {"O_LARGEFILE", 32768}, {"O_NDELAY", 2048}, {"O_NOATIME", 262144},
    {"O_NOCTTY", 256}, {"O_NOFOLLOW", 131072}, {"O_NONBLOCK", 2048}, {"O_PATH", 2097152}, {"O_RDONLY", 0},
    {"O_RDWR", 2}, {"O_RSYNC", 1052672}, {"O_SYNC", 1052672}, {"O_TMPFILE", 4259840}, {"O_TRUNC", 512},
    {"O_WRONLY", 1}, {"PR_MODEL_ILP32", 1}, {"PR_MODEL_LP64", 2}, {"R_CS", 17}, {"R_DS", 21}, {"R_ERR", 15},
    {"R_ES", 22}, {"R_FP", 4}, {"R_FS", 23}, {"R_GS", 24}, {"R_PC", 16}, {"R_PS", 18}, {"R_R0", 10}, {"R_R1", 12},
    {"R_R10", 7}, {"R_R11", 6}, {"R_R12", 3}, {"R_R13", 2}, {"R_R14", 1}, {"R_R15", 0}, {"R_R8", 9}, {"R_R9", 8},
    {"R_RAX", 10}, {"R_RBP", 4}, {"R_RBX", 5}, {"R_RCX", 11}, {"R_RDI", 14}, {"R_RDX", 12}, {"R_RFL", 18},
    {"R_RIP", 16}, {"R_RSI", 13}, {"R_RSP", 19}, {"R_SP", 19}, {"R_SS", 20}, {"R_TRAPNO", 25}, {"SIDL", 5},
    {"SIGABRT", 6}, {"SIGALRM", 14}, {"SIGBUS", 7}, {"SIGCHLD", 17}, {"SIGCLD", 17}, {"SIGCONT", 18}, {"SIGFPE", 8},
    {"SIGHUP", 1}, {"SIGILL", 4}, {"SIGINT", 2}, {"SIGIO", 29}, {"SIGIOT", 6}, {"SIGKILL", 9}, {"SIGPIPE", 13},
    {"SIGPOLL", 29}, {"SIGPROF", 27}, {"SIGPWR", 30}, {"SIGQUIT", 3}, {"SIGSEGV", 11}, {"SIGSTKFLT", 16},
    {"SIGSTOP", 19}, {"SIGSYS", 31}, {"SIGTERM", 15}, {"SIGTRAP", 5}, {"SIGTSTP", 20}, {"SIGTTIN", 21},
    {"SIGTTOU", 22}, {"SIGURG", 23}, {"SIGUSR1", 10}, {"SIGUSR2", 12}, {"SIGVTALRM", 26}, {"SIGWINCH", 28},
    {"SIGXCPU", 24}, {"SIGXFSZ", 25}, {"SOCK_DGRAM", 2}, {"SOCK_RAW", 3}, {"SOCK_SEQPACKET", 5}, {"SOCK_STREAM", 1},
    {"SONPROC", 6}, {"SRUN", 2}, {"SSLEEP", 1}, {"SSTOP", 4}, {"SWAIT", 7}, {"SZOMB", 3},
});
static_assert(std::ranges::is_sorted(kConstants, {}, &LibraryConstant::name));

}  // namespace

std::span<const LibraryConstant> library_constants() { return kConstants; }

const LibraryConstant* find_constant(std::string_view name) {
  auto at = std::ranges::lower_bound(kConstants, name, {}, &LibraryConstant::name);
  return at != kConstants.end() && at->name == name ? &*at : nullptr;
}

}  // namespace sonde
