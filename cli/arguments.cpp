// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/arguments.h"

#include <getopt.h>

#include <charconv>

#include "cli/output.h"

namespace sonde {

namespace {

enum LongOption { kRepl = 256, kHelp, kProvider, kVersion };

const option kLongOptions[] = {
    {"repl", no_argument, nullptr, kRepl},
    {"help", no_argument, nullptr, kHelp},
    {"provider", required_argument, nullptr, kProvider},
    {"version", no_argument, nullptr, kVersion},
    {nullptr, 0, nullptr, 0},
};

// Every letter that DTrace knows. A leading '-' makes getopt hand over words in place; ':' lets us word the errors.
constexpr char kLetters[] = "-:36b:c:CD:eFf:GhHi:I:lL:m:n:o:p:P:qs:SU:vVwx:X:Z24";

/// "-p 123" of a wrapper that passes option and value as one word arrives as " 123".
std::string trimmed(const std::string& text) {
  size_t begin = text.find_first_not_of(" \t");
  size_t end = text.find_last_not_of(" \t");
  return begin == std::string::npos ? "" : text.substr(begin, end - begin + 1);
}

bool parse_pid(const std::string& text, uint32_t& pid) {
  std::string digits = trimmed(text);
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), pid);
  return error == std::errc() && end == digits.data() + digits.size() && pid != 0;
}

Arguments::Setting setting(const std::string& text) {
  size_t equals = text.find('=');
  if (equals == std::string::npos) return {text, ""};
  return {text.substr(0, equals), text.substr(equals + 1)};
}

class Parser {
 public:
  Parser(Arguments& arguments, BadArguments& bad) : arguments_(arguments), bad_(bad) {}

  bool parse(int argc, char** argv) {
    optind = 1;
    opterr = 0;
    for (int letter; (letter = getopt_long(argc, argv, kLetters, kLongOptions, nullptr)) != -1;) {
      if (!take(letter, argv)) return false;
    }
    for (int i = optind; i < argc; i++) arguments_.words.emplace_back(argv[i]);
    return consistent(argc);
  }

 private:
  bool take(int letter, char** argv) {
    std::string value = optarg != nullptr ? optarg : "";
    switch (letter) {
      case 1: arguments_.words.push_back(value); return true;
      case 's': return program(SourceText::Kind::Script, value);
      case 'n': return program(SourceText::Kind::Name, value);
      case 'P': return program(SourceText::Kind::Provider, value);
      case 'm': return program(SourceText::Kind::Module, value);
      case 'f': return program(SourceText::Kind::Function, value);
      case 'i': return program(SourceText::Kind::Name, value);
      case 'c': arguments_.commands.push_back(value); return true;
      case 'p': return target(value);
      case 'o': arguments_.output = value; return true;
      case 'x': arguments_.settings.push_back(setting(value)); return true;
      case 'b': arguments_.settings.push_back({"bufsize", value}); return true;
      case 'q': return set("quiet");
      case 'w': return set("destructive");
      case 'Z': return set("zdefs");
      case 'F': return set("flowindent");
      case 'v': arguments_.verbose = true; return true;
      case 'S': arguments_.disassemble = true; return true;
      case 'e': return mode(Mode::CompileOnly);
      case 'l': return set("zdefs") && mode(Mode::List);
      case 'V':
      case kVersion: return mode(Mode::Version);
      case kHelp: return mode(Mode::Help);
      case kRepl: return mode(Mode::Prompt);
      case kProvider: arguments_.providers.push_back(value); return true;
      case '6':
      case '4': return true;  // -64
      case '3':
      case '2': return fail("-32: 32-bit scripts are not there yet", false);
      case 'C': return set("cpp");
      case 'H': return set("cpphdrs");
      case 'D': return set("define", value);
      case 'U': return set("undef", value);
      case 'I': return set("incdir", value);
      case 'X': return set("stdc", value);
      case 'L': return set("libdir", value);
      case 'G':
      case 'h': return fail(std::string("-") + static_cast<char>(letter) + ": USDT is not there yet", false);
      case ':': return fail("option requires an argument -- '" + std::string(1, static_cast<char>(optopt)) + "'", true);
      default: return fail(unknown(argv), true);
    }
  }

  static std::string unknown(char** argv) {
    if (optopt != 0 && optopt < 256) return "invalid option -- '" + std::string(1, static_cast<char>(optopt)) + "'";
    return std::string("invalid option -- '") + argv[optind - 1] + "'";
  }

  bool program(SourceText::Kind kind, const std::string& text) {
    arguments_.programs.push_back({kind, text});
    return true;
  }

  bool target(const std::string& value) {
    uint32_t pid = 0;
    if (!parse_pid(value, pid)) return fail("invalid pid: " + value, false);
    arguments_.pids.push_back(pid);
    return true;
  }

  bool set(const char* option, const std::string& value = "") {
    arguments_.settings.push_back({option, value});
    return true;
  }

  bool mode(Mode mode) {
    if (arguments_.mode != Mode::Trace && arguments_.mode != mode) {
      return fail("only one of -e, -l, -V and --repl may be given", true);
    }
    arguments_.mode = mode;
    return true;
  }

  bool consistent(int argc) {
    if (argc > 1) return true;
    bad_ = {"", true};
    return false;
  }

  bool fail(std::string message, bool usage) {
    bad_ = {std::move(message), usage};
    return false;
  }

  Arguments& arguments_;
  BadArguments& bad_;
};

}  // namespace

bool parse_arguments(int argc, char** argv, Arguments& arguments, BadArguments& bad) {
  return Parser(arguments, bad).parse(argc, argv);
}

std::string usage() {
  return "Usage: " + program_name() +
         " [-CeFHlqSvVwZ] [-b bufsz] [-c cmd] [-D name[=def]] [-I path] [-L path] [-o output]\n"
         "\t[-p pid] [-s script] [-U name] [-x opt[=val]] [-X a|c|s|t]\n"
         "\t[-P prov | -m [p:]mod | -f [[p:]m:]fun | -n [[[p:]m:]f:]name | -i id]\n"
         "\t[[predicate] action] [macro args ...]\n"
         "       " +
         program_name() +
         " [--repl]\n"
         "       " +
         program_name() + " --help\n";
}

std::string help() {
  return usage() +
         "\n"
         "what to trace\n"
         "  -n TEXT     clauses, as in: -n 'syscall::openat:entry { trace(copyinstr(arg1)); }'\n"
         "  -s FILE     a script\n"
         "  -P, -m, -f  clauses for a provider, a module, a function; -i for a probe's id\n"
         "whom\n"
         "  -c COMMAND  starts a command ($target), and ends with it\n"
         "  -p PID      attaches to all threads of a process, and its children to come\n"
         "how\n"
         "  -q          prints only what the script prints\n"
         "  -o FILE     appends the output to FILE\n"
         "  -w          allows destructive actions: stop(), raise(), system()\n"
         "  -Z          descriptions may match nothing\n"
         "  -C          runs cpp on scripts first; -D, -U, -I, -H and -X are cpp's\n"
         "  -L DIR      adds a directory of D libraries\n"
         "  -F          indents by entry and return\n"
         "  -x OPT=VAL  sets an option: bufsize, strsize, switchrate, errtags, ...\n"
         "instead of tracing\n"
         "  -l          lists probes; with -v their arguments\n"
         "  -e          compiles, and does no more; -S shows the fire part\n"
         "  -V          prints the version\n"
         "  --repl      the prompt (also: sonde alone, on a terminal)\n";
}

}  // namespace sonde
