// SPDX-License-Identifier: GPL-3.0-or-later
// mysql: queries of MariaDB, whose packages are built without probes
//
// A command of a client is a call of dispatch_command. The server's structure of a connection (THD) differs from version
// to version. So its fields are found by the functions that return them to storage engines, as thd_get_thread_id does.
#include "providers/provider_entry.h"
#include "providers/translation.h"

namespace sonde::mysql {
namespace {

using translation::Argument;
using translation::At;

#define SONDE_DISPATCH "_Z16dispatch_command19enum_server_commandP3THDPcjb"
#define SONDE_PARSE "_Z9parse_sqlP3THDP12Parser_stateP19Object_creation_ctxb"
#define SONDE_EXECUTE "_Z21mysql_execute_commandP3THDb"
#define SONDE_CACHE "_ZN11Query_cache21send_result_to_clientEP3THDPcj"
#define SONDE_PREPARE "_Z22thd_prepare_connectionP3THD"
#define SONDE_CLOSE "_Z16close_connectionP3THDj"
#define SONDE_SEND_ERROR "_ZN8Protocol21net_send_error_packetEP3THDjPKcS3_"

#define SONDE_POINTER_AT(address) "(*(uint64_t *)copyin(" address ", 8))"
#define SONDE_QUERY(thd) SONDE_POINTER_AT("%[thd_query_string " thd "]")
/// Who comes from an address without a name has no name; this is its address then.
#define SONDE_HOST(thd) "(%[thd_client_host " thd "] + %[thd_client_ip " thd "] * (%[thd_client_host " thd "] == 0))"

#define SONDE_CONNECTION_ARGUMENT(thd) \
  { "%[thd_get_thread_id " thd "]", "unsigned long", "connection" }
#define SONDE_DATABASE_ARGUMENT(thd) \
  { SONDE_POINTER_AT("%[thd_current_db " thd "]"), "const char *", "database" }
#define SONDE_USER_ARGUMENT(thd) \
  { "%[thd_user_name " thd "]", "const char *", "user" }
#define SONDE_HOST_ARGUMENT(thd) \
  { SONDE_HOST(thd), "const char *", "host" }

/// COM_QUERY
#define SONDE_IS_QUERY(command) "(int)" command " == 3"
/// The client is sent an error while its command runs, or not.
#define SONDE_REMEMBERS_COMMAND                                                                          \
  "%P:%M:" SONDE_DISPATCH                                                                                \
  ":entry { self->__mysql_command = arg0; self->__mysql_sp = uregs[R_SP]; self->__mysql_failed = 0; }\n" \
  "%P:%M:" SONDE_SEND_ERROR ":entry { self->__mysql_failed = 1; }\n"
#define SONDE_SAME_COMMAND "self->__mysql_sp == uregs[R_SP]"
#define SONDE_FAILED "self->__mysql_failed"

constexpr Argument kStatus = {"(int)arg1", "int", "status"};
constexpr char kCacheAsked[] = "%P:%M:%F:entry { self->__mysql_asked = arg2; self->__mysql_cache_sp = uregs[R_SP]; }\n";
#define SONDE_SAME_QUESTION "self->__mysql_cache_sp == uregs[R_SP]"

constexpr translation::Row kRows[] = {
    {SONDE_DISPATCH,
     "command-start",
     At::Entry,
     "",
     "",
     {{SONDE_CONNECTION_ARGUMENT("arg1"),
       {"(int)arg0", "int", "command"},
       SONDE_USER_ARGUMENT("arg1"),
       SONDE_HOST_ARGUMENT("arg1")}}},
    {SONDE_DISPATCH,
     "query-start",
     At::Entry,
     "",
     SONDE_IS_QUERY("arg0"),
     {{{"arg2", "const char *", "query"},
       SONDE_CONNECTION_ARGUMENT("arg1"),
       SONDE_DATABASE_ARGUMENT("arg1"),
       SONDE_USER_ARGUMENT("arg1"),
       SONDE_HOST_ARGUMENT("arg1")}}},
    {SONDE_DISPATCH,
     "query-done",
     At::Return,
     SONDE_REMEMBERS_COMMAND,
     SONDE_SAME_COMMAND " && " SONDE_IS_QUERY("self->__mysql_command"),
     {{{SONDE_FAILED, "int", "status"}}}},
    {SONDE_DISPATCH,
     "command-done",
     At::Return,
     SONDE_REMEMBERS_COMMAND,
     SONDE_SAME_COMMAND,
     {{{SONDE_FAILED, "int", "status"}}}},
    {SONDE_PARSE, "query-parse-start", At::Entry, "", "", {{{SONDE_QUERY("arg0"), "const char *", "query"}}}},
    {SONDE_PARSE, "query-parse-done", At::Return, "", "", {{{"(arg1 & 0xff)", "int", "status"}}}},
    {SONDE_EXECUTE,
     "query-exec-start",
     At::Entry,
     "",
     "",
     {{{SONDE_QUERY("arg0"), "const char *", "query"},
       SONDE_CONNECTION_ARGUMENT("arg0"),
       SONDE_DATABASE_ARGUMENT("arg0"),
       SONDE_USER_ARGUMENT("arg0"),
       SONDE_HOST_ARGUMENT("arg0"),
       {"(arg1 & 0xff)", "int", "prepared"}}}},
    {SONDE_EXECUTE, "query-exec-done", At::Return, "", "", {{kStatus}}},
    {SONDE_CACHE,
     "query-cache-hit",
     At::Return,
     kCacheAsked,
     SONDE_SAME_QUESTION " && (int)arg1 > 0",
     {{{"self->__mysql_asked", "const char *", "query"}}}},
    {SONDE_CACHE,
     "query-cache-miss",
     At::Return,
     kCacheAsked,
     SONDE_SAME_QUESTION " && (int)arg1 <= 0",
     {{{"self->__mysql_asked", "const char *", "query"}}}},
    {SONDE_PREPARE,
     "connection-start",
     At::Return,
     "%P:%M:%F:entry { self->__mysql_thd = arg0; self->__mysql_thd_sp = uregs[R_SP]; }\n",
     "self->__mysql_thd_sp == uregs[R_SP] && (arg1 & 0xff) == 0",
     {{SONDE_CONNECTION_ARGUMENT("self->__mysql_thd"), SONDE_USER_ARGUMENT("self->__mysql_thd"),
       SONDE_HOST_ARGUMENT("self->__mysql_thd")}}},
    {SONDE_CLOSE,
     "connection-done",
     At::Entry,
     "",
     "",
     {{{"(int)arg1", "int", "status"}, SONDE_CONNECTION_ARGUMENT("arg0")}}},
};

#define SONDE_FUNCTIONS(which) "MariaDB's packages have no such probe; calls: pid$target:mariadbd:" which ":entry"

constexpr translation::Absent kAbsent[] = {
    {"net-*", "MariaDB's packages have no such probe; bytes on sockets: syscall::recv*:return, syscall::send*:return"},
    {"insert-row-*", SONDE_FUNCTIONS("*ha_write_row*")},
    {"update-row-*", SONDE_FUNCTIONS("*ha_update_row*")},
    {"delete-row-*", SONDE_FUNCTIONS("*ha_delete_row*")},
    {"*read-row-*", SONDE_FUNCTIONS("*ha_*rnd_next*")},
    {"handler-*",
     "MariaDB's packages have no such probe; locks of tables: pid$target:mariadbd:*ha_external_lock*:entry"},
    {"filesort-*", SONDE_FUNCTIONS("filesort*")},
    {"keycache-*", SONDE_FUNCTIONS("key_cache_*")},
    {"*-start", "MariaDB's packages have no such probe; statements of all kinds: mysql$target:::query-exec-start"},
    {"*-done", "MariaDB's packages have no such probe; statements of all kinds: mysql$target:::query-exec-done"},
};

constexpr std::string_view kPrograms[] = {"mariadbd", "mysqld"};
constexpr std::string_view kInstalled[] = {"/usr/sbin/mariadbd"};
constexpr std::string_view kFunctionsOfIt[] = {SONDE_DISPATCH};

constexpr translation::Provider kProvider = {
    .name = "mysql",
    .rows = kRows,
    .absent = kAbsent,
    .files = kPrograms,
    .functions = kFunctionsOfIt,
    .inside = "",
    .installed = kInstalled,
    .nothing = "is no MariaDB server, as Debian's mariadbd: these probes are made of its function dispatch_command",
};

}  // namespace
}  // namespace sonde::mysql

extern "C" int sonde_mysql_register(void) { return sonde::translation::register_translation(sonde::mysql::kProvider); }

extern "C" void sonde_mysql_unregister(void) { sonde::translation::unregister_translation(sonde::mysql::kProvider); }
