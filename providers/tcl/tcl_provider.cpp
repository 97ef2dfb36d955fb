// SPDX-License-Identifier: GPL-3.0-or-later
// tcl: procedures and commands of Tcl 8.6, whose packages are built without probes
//
// A procedure begins where TclNRInterpProcCore has filled its frame and jumps into the interpreter, and returns in the
// function that this one names as what comes after it. The words of a call are Tcl_Obj, and the frame has them.
//
// The offsets are those of tclInt.h, which are the same in each 8.6: extensions are compiled with them.
//
//   Interp      168 varFramePtr   680 objResultPtr
//   CallFrame   8 flags, 2: a lambda   12 objc   16 objv
//   Tcl_Obj     8 bytes, 0: it has no text yet
#include "providers/provider_entry.h"
#include "providers/translation.h"

namespace sonde::tcl {
namespace {

using translation::At;

#define SONDE_WORD_AT(address) "(*(uint64_t *)copyin(" address ", 8))"
#define SONDE_INT_AT(address) "(*(uint32_t *)copyin(" address ", 4))"
#define SONDE_FRAME(interp) SONDE_WORD_AT(interp " + 168")
/// A lambda's name is `apply`'s second word: the words of the call begin one later.
#define SONDE_LAMBDA(interp) "((" SONDE_INT_AT(SONDE_FRAME(interp) " + 8") " >> 1) & 1)"
#define SONDE_OBJV(interp) "(" SONDE_WORD_AT(SONDE_FRAME(interp) " + 16") " + 8 * " SONDE_LAMBDA(interp) ")"
#define SONDE_OBJC(interp) "(" SONDE_INT_AT(SONDE_FRAME(interp) " + 12") " - " SONDE_LAMBDA(interp) " - 1)"
#define SONDE_TEXT_OF(object) SONDE_WORD_AT(object " + 8")
#define SONDE_NAME(interp) SONDE_TEXT_OF(SONDE_WORD_AT(SONDE_OBJV(interp)))
#define SONDE_RESULT(interp) SONDE_WORD_AT(interp " + 680")

constexpr translation::Argument kCode = {"(int)arg2", "int", "code"};

constexpr translation::Row kRows[] = {
    // A call with a wrong number of words comes back with an error: it does not get to the jump, into the interpreter.
    {"TclNRInterpProcCore",
     "proc-entry",
     At::Jump,
     "",
     "",
     {{{SONDE_NAME("arg0"), "char *", "name"},
       {SONDE_OBJC("arg0"), "int", "argc"},
       {"(" SONDE_OBJV("arg0") " + 8)", "void *", "argv"}}}},
    {"TclNRInterpProcCore", "proc-return", At::Callback, "", "", {{{SONDE_NAME("arg1"), "char *", "name"}, kCode}}},
    {"TclNRInterpProcCore",
     "proc-result",
     At::Callback,
     "",
     "",
     {{{SONDE_NAME("arg1"), "char *", "name"},
       kCode,
       {SONDE_TEXT_OF(SONDE_RESULT("arg1")), "char *", "result"},
       {SONDE_RESULT("arg1"), "void *", "object"}}}},
    {"TclNREvalObjv",
     "cmd-entry",
     At::Entry,
     "",
     "(int)arg1 > 0",
     {{{SONDE_TEXT_OF(SONDE_WORD_AT("arg2")), "char *", "name"},
       {"((int)arg1 - 1)", "int", "objc"},
       {"(arg2 + 8)", "void *", "objv"}}}},
};

constexpr translation::Absent kAbsent[] = {
    {"proc-args",
     "words are no C strings until somebody asks for their texts: proc-entry has them as objects, in arg2"},
    {"proc-info", "only a Tcl that was built with --enable-dtrace has it: proc-entry has the name"},
    {"cmd-args", "words are no C strings until somebody asks for their texts: cmd-entry has them as objects, in arg2"},
    {"cmd-return",
     "the package's code knows no command when it ends: proc-return is that of procedures; a Tcl that was built with "
     "--enable-dtrace has cmd-return"},
    {"cmd-*", "only a Tcl that was built with --enable-dtrace has it: cmd-entry has the name"},
    {"obj-*",
     "the package's code makes and frees objects in many places: only a Tcl that was built with --enable-dtrace has "
     "it"},
    {"inst-*",
     "the package's interpreter has no place for one instruction: only a Tcl that was built with --enable-dtrace has "
     "it"},
    {"tcl-probe",
     "the command ::tcl::dtrace is there only in a Tcl that was built with --enable-dtrace; a procedure of the script "
     "does as well: proc-entry"},
};

constexpr std::string_view kLibraries[] = {"libtcl8.6*.so*"};
constexpr std::string_view kInstalled[] = {"libtcl8.6.so"};
constexpr std::string_view kFunctions[] = {"TclNRInterpProcCore", "TclNREvalObjv"};

constexpr translation::Provider kProvider = {
    .name = "tcl",
    .rows = kRows,
    .absent = kAbsent,
    .files = kLibraries,
    .functions = kFunctions,
    .inside = "TclNREvalObjv",
    .installed = kInstalled,
    .nothing = "has no Tcl 8.6 mapped: these probes are made of the functions of libtcl8.6.so",
};

}  // namespace
}  // namespace sonde::tcl

extern "C" int sonde_tcl_register(void) { return sonde::translation::register_translation(sonde::tcl::kProvider); }

extern "C" void sonde_tcl_unregister(void) { sonde::translation::unregister_translation(sonde::tcl::kProvider); }
