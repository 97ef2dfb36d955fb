// SPDX-License-Identifier: GPL-3.0-or-later
// What the arguments of well-known programs' probes are, as their authors declare them
//
// A note says how many bytes an argument has, and its sign. A row says that these are the address of a text, and whose.
#pragma once

#include <string_view>

namespace sonde::usdt {

struct Declared {
  std::string_view provider;
  std::string_view probes;     ///< a wildcard on names as sonde shows them; the first row that matches counts
  std::string_view arguments;  ///< "type name, type name"; more than a probe has do no harm
};

inline constexpr Declared kDeclared[] = {
    {"python", "function-*", "const char *file, const char *function, int line"},
    {"python", "line", "const char *file, const char *function, int line"},
    {"python", "gc-start", "int generation"},
    {"python", "gc-done", "long collected"},
    {"python", "import-find-load-*", "const char *module, int found"},
    {"python", "audit", "const char *event, void *tuple"},

    {"php", "function-*", "const char *function, const char *file, int line, const char *class, const char *scope"},
    {"php", "request-*", "const char *file, const char *uri, const char *method"},
    {"php", "compile-file-*", "const char *file, const char *translated"},
    {"php", "execute-*", "const char *file, int line"},
    {"php", "error", "const char *message, const char *file, int line"},
    {"php", "exception-*", "const char *class"},

    {"ruby", "*method-*", "const char *class, const char *method, const char *file, int line"},
    {"ruby", "array-create", "long length, const char *file, int line"},
    {"ruby", "hash-create", "long length, const char *file, int line"},
    {"ruby", "string-create", "long length, const char *file, int line"},
    {"ruby", "*-create", "const char *what, const char *file, int line"},
    {"ruby", "*require-*", "const char *name, const char *file, int line"},
    {"ruby", "load-*", "const char *name, const char *file, int line"},
    {"ruby", "raise", "const char *class, const char *file, int line"},
    {"ruby", "parse-*", "const char *file, int line"},

    {"postgresql", "transaction-*", "unsigned int transaction"},
    {"postgresql", "query-*", "const char *query"},
    {"postgresql", "statement-status", "const char *status"},
    {"postgresql", "lwlock-*", "const char *tranche, int mode"},
    {"postgresql", "lock-wait-*",
     "unsigned int field1, unsigned int field2, unsigned int field3, unsigned int field4, unsigned int type, int mode"},
    {"postgresql", "sort-start", "int kind, int unique, int keys, int memory, int random, int parallel"},
    {"postgresql", "sort-done", "int external, long used"},
    {"postgresql", "checkpoint-start", "int flags"},
    {"postgresql", "checkpoint-done", "int written, int buffers, int added, int removed, int recycled"},
    {"postgresql", "buffer-checkpoint-start", "int flags"},
    {"postgresql", "buffer-sync-start", "int buffers, int written"},
    {"postgresql", "buffer-sync-written", "int buffer"},
    {"postgresql", "buffer-sync-done", "int buffers, int written, int wanted"},
    {"postgresql", "buffer-*",
     "int fork, unsigned int block, unsigned int tablespace, unsigned int database, unsigned int relation, int "
     "backend, "
     "int extends, int found"},
    {"postgresql", "smgr-md-*",
     "int fork, unsigned int block, unsigned int tablespace, unsigned int database, unsigned int relation, int "
     "backend, "
     "int done, int wanted"},
    {"postgresql", "wal-insert", "unsigned char manager, unsigned char info"},

    {"hotspot", "thread-st*", "char *name, int length, long id, long native, int daemon"},
    {"hotspot", "class-*", "char *class, int length, void *loader, int shared"},
    {"hotspot", "gc-begin", "int full"},
    {"hotspot", "mem-pool-gc-*",
     "char *manager, int manager_length, char *pool, int pool_length, long initial, long used, long committed, long "
     "most"},
    {"hotspot", "method-compile-*",
     "char *compiler, int compiler_length, char *class, int class_length, char *method, int method_length, "
     "char *signature, int signature_length, int success"},
    {"hotspot", "compiled-method-*",
     "char *class, int class_length, char *method, int method_length, char *signature, int signature_length, void "
     "*code, "
     "long size"},
    {"hotspot", "method-*",
     "long thread, char *class, int class_length, char *method, int method_length, char *signature, int "
     "signature_length"},
    {"hotspot", "object-alloc", "long thread, char *class, int class_length, long size"},
    {"hotspot", "monitor-*", "long thread, void *monitor, char *class, int class_length, long timeout"},

    {"hotspot_jni", "FindClass-entry", "void *env, const char *name"},
    {"hotspot_jni", "DefineClass-entry", "void *env, const char *name, void *loader, char *bytes, int size"},
    {"hotspot_jni", "Get*FieldID-entry", "void *env, void *class, const char *name, const char *signature"},
    {"hotspot_jni", "Get*MethodID-entry", "void *env, void *class, const char *name, const char *signature"},
    {"hotspot_jni", "NewStringUTF-entry", "void *env, const char *text"},
    {"hotspot_jni", "ThrowNew-entry", "void *env, void *class, const char *message"},
    {"hotspot_jni", "FatalError-entry", "void *env, const char *message"},

    {"libvirt", "event_glib_add_handle", "int watch, int fd, int events, void *callback, void *data, void *release"},
    {"libvirt", "event_glib_remove_handle*", "int watch, void *release, void *data"},
    {"libvirt", "event_glib_*_handle", "int watch, int events, void *callback, void *data"},
    {"libvirt", "event_glib_add_timeout", "int timer, int period, void *callback, void *data, void *release"},
    {"libvirt", "event_glib_update_timeout", "int timer, int period"},
    {"libvirt", "event_glib_remove_timeout*", "int timer, void *release, void *data"},
    {"libvirt", "event_glib_dispatch_timeout", "int timer, void *callback, void *data"},
    {"libvirt", "object_*", "void *object, const char *class"},
    {"libvirt", "rpc_socket_new",
     "void *socket, int fd, int errors, int process, const char *local, const char *remote"},
    {"libvirt", "rpc_socket_*", "void *socket, int fd"},
    {"libvirt", "rpc_*_client_auth_*", "void *client, int kind, const char *identity"},
    {"libvirt", "rpc_*client_msg_*",
     "void *client, int length, int program, int version, int procedure, int type, int status, int serial"},
    {"libvirt", "rpc_*client_*", "void *client, void *socket"},
    {"libvirt", "rpc_tls_context_new",
     "void *context, const char *authorities, const char *revoked, const char *certificate, const char *key, int "
     "checks, int requires, int server"},
    {"libvirt", "rpc_tls_context_*", "void *context, void *session, const char *name"},
    {"libvirt", "rpc_tls_session_*", "void *session, void *context, const char *host, int server"},
    {"libvirt", "rpc_keepalive_start", "void *keepalive, void *client, int interval, int count"},
    {"libvirt", "rpc_keepalive_timeout", "void *keepalive, void *client, int left, int idle"},
    {"libvirt", "rpc_keepalive_*", "void *keepalive, void *client, int program, int version, int procedure"},
    {"libvirt", "qemu_monitor_new", "void *monitor, int fd"},
    {"libvirt", "qemu_monitor_send_msg", "void *monitor, const char *message, int fd"},
    {"libvirt", "qemu_monitor_recv_*", "void *monitor, const char *message"},
    {"libvirt", "qemu_monitor_io_send_fd", "void *monitor, int fd, int result, int error"},
    {"libvirt", "qemu_monitor_io_*", "void *monitor, const char *bytes, unsigned int length, int result, int error"},
    {"libvirt", "qemu_monitor_*", "void *monitor"},

    {"libstdcxx", "*", "void *object, void *type"},
};

}  // namespace sonde::usdt
