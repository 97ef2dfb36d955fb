/* @program: files -O2 */
/* @sonde: -q -c "@program@ @scratch@" */
/* Inlines and translators of a script's own, on top of the library's. */
inline int IS_FILE[int fd] = fds[fd].fi_fs != "sockfs" && fds[fd].fi_fs != "pipefs" && fds[fd].fi_name != "<none>";
struct brief { string name; int fd; };
translator struct brief < int F > { name = fds[F].fi_name; fd = F; };
syscall::fsync:entry /IS_FILE[arg0]/ { printf("%s %d\n", xlate <struct brief> ((int)arg0).name, xlate <struct brief> ((int)arg0).fd); }
