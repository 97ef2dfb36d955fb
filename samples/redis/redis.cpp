// SPDX-License-Identifier: MIT
// redis: the counters of a running Redis server, a probe each
//
//   redis:stats::total_commands_processed   once an interval: arg0 the value, arg1 what was added since the last time
//   redis:memory::used_memory, ...          module: the section of INFO, name: the field; of the keyspace db0_keys, db0_expires
//   redis:::sample                          behind all of them: arg0 ns that the server took to answer
//
// REDIS is the server, HOST:PORT or the path of a socket (127.0.0.1:6379); REDIS_INTERVAL_MS the interval (1000). Which counters there are
// the server says, so they are asked for when probes are wanted. One thread polls, on a connection of its own, while a probe is enabled.
#include <netdb.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <sonde/provider.h>

namespace {

using Clock = std::chrono::steady_clock;

std::string setting(const char* name, const char* otherwise) {
  const char* value = getenv(name);
  return value != nullptr ? value : otherwise;
}

// ---- the server ---------------------------------------------------------------------------------------------------

struct Counter {
  std::string section, field;
  int64_t value;
};

class Server {
 public:
  ~Server() { close(); }

  /// What INFO says, as far as it is a whole number. False: `error` says why.
  bool counters(std::vector<Counter>& all, std::string& error) {
    if (fd_ < 0 && !connect(error)) return false;
    std::string answer;
    if (!ask(answer)) {
      error = "it does not answer INFO";
      close();
      return false;
    }
    parse(answer, all);
    return true;
  }

 private:
  void close() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }

  bool connect(std::string& error) {
    const std::string where = setting("REDIS", "127.0.0.1:6379");
    const int result = where.find('/') != where.npos ? connect_to_path(where) : connect_to_host(where);
    if (result == 0) return true;
    error = strerror(result);
    close();
    return false;
  }

  int connect_to(int family, const sockaddr* address, socklen_t length) {
    const timeval patience = {1, 0};
    fd_ = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd_ < 0) return errno;
    setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(fd_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    return ::connect(fd_, address, length) == 0 ? 0 : errno;
  }

  int connect_to_path(const std::string& path) {
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path) return ENAMETOOLONG;
    memcpy(address.sun_path, path.c_str(), path.size() + 1);
    return connect_to(AF_UNIX, reinterpret_cast<sockaddr*>(&address), sizeof address);
  }

  int connect_to_host(const std::string& where) {
    const size_t colon = where.rfind(':');
    addrinfo wanted = {}, *found = nullptr;
    wanted.ai_socktype = SOCK_STREAM;
    const std::string host = where.substr(0, colon), port = colon == where.npos ? "6379" : where.substr(colon + 1);
    if (getaddrinfo(host.c_str(), port.c_str(), &wanted, &found) != 0) return EHOSTUNREACH;
    const int result = connect_to(found->ai_family, found->ai_addr, found->ai_addrlen);
    freeaddrinfo(found);
    return result;
  }

  /// The answer is "$LENGTH\r\n", so many bytes, "\r\n".
  bool ask(std::string& answer) {
    constexpr char kInfo[] = "INFO\r\n";
    if (send(fd_, kInfo, sizeof kInfo - 1, MSG_NOSIGNAL) < 0) return false;
    std::string all;
    for (size_t wanted = 0; wanted == 0 || all.size() < wanted;) {
      char buffer[8192];
      const ssize_t length = recv(fd_, buffer, sizeof buffer, 0);
      if (length <= 0) return false;
      all.append(buffer, static_cast<size_t>(length));
      const size_t line = all.find("\r\n");
      if (all[0] != '$') return false;
      if (wanted == 0 && line != all.npos) wanted = line + 4 + strtoul(all.c_str() + 1, nullptr, 10);
    }
    answer = all.substr(all.find("\r\n") + 2);
    return true;
  }

  static void add(std::vector<Counter>& all, const std::string& section, const std::string& field, const std::string& text) {
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc() && end == text.data() + text.size()) all.push_back({section, field, value});
  }

  /// "# Stats", then "field:value" lines; in the keyspace "db0:keys=1,expires=0,avg_ttl=0".
  static void parse(const std::string& answer, std::vector<Counter>& all) {
    std::istringstream lines(answer);
    std::string section;
    // A database without keys has no line; of the first one there are probes all the same.
    if (answer.find("db0:") == answer.npos)
      for (const char* field : {"db0_keys", "db0_expires"}) all.push_back({"keyspace", field, 0});
    for (std::string line; std::getline(lines, line);) {
      while (!line.empty() && line.back() == '\r') line.pop_back();
      const size_t colon = line.find(':');
      if (line.rfind("# ", 0) == 0) {
        section = line.substr(2);
        for (char& c : section) c = static_cast<char>(tolower(c));
      } else if (colon != line.npos && line.find('=') == line.npos) {
        add(all, section, line.substr(0, colon), line.substr(colon + 1));
      } else if (colon != line.npos) {
        std::istringstream parts(line.substr(colon + 1));
        for (std::string part; std::getline(parts, part, ',');) {
          const size_t equals = part.find('=');
          if (equals == part.npos) continue;
          add(all, section, line.substr(0, colon) + "_" + part.substr(0, equals), part.substr(equals + 1));
        }
      }
    }
  }

  int fd_ = -1;
};

// ---- the provider -------------------------------------------------------------------------------------------------

struct Probe {
  dtrace_id_t id;
  bool enabled = false, has_last = false;
  int64_t last = 0;
};

dtrace_provider_id_t g_provider;
std::mutex g_mutex;  // guards what follows; held while a probe fires, which never blocks
std::condition_variable g_end;
std::map<std::string, Probe> g_probes;  // by "section/field"; "/sample"
bool g_ending = false;
std::thread g_thread;
int g_enabled = 0;

void fire_all(const std::vector<Counter>& counters, Clock::duration took) {
  for (const Counter& counter : counters) {
    const auto found = g_probes.find(counter.section + "/" + counter.field);
    if (found == g_probes.end() || !found->second.enabled) continue;
    Probe& probe = found->second;
    const int64_t added = probe.has_last ? counter.value - probe.last : 0;
    probe.last = counter.value;
    probe.has_last = true;
    dtrace_probe(probe.id, static_cast<uintptr_t>(counter.value), static_cast<uintptr_t>(added), 0, 0, 0);
  }
  const auto sample = g_probes.find("/sample");
  if (sample != g_probes.end() && sample->second.enabled)
    dtrace_probe(sample->second.id, static_cast<uintptr_t>(std::chrono::nanoseconds(took).count()), 0, 0, 0, 0);
}

void poll_server() {
  const auto interval = std::chrono::milliseconds(std::max(1, atoi(setting("REDIS_INTERVAL_MS", "1000").c_str())));
  Server server;
  std::unique_lock<std::mutex> lock(g_mutex);
  for (auto next = Clock::now(); !g_ending; next += interval) {
    lock.unlock();
    std::vector<Counter> counters;
    std::string error;
    const auto asked = Clock::now();
    const bool answered = server.counters(counters, error);
    const auto took = Clock::now() - asked;
    lock.lock();
    if (answered) fire_all(counters, took);
    g_end.wait_until(lock, next + interval, [] { return g_ending; });
  }
}

// ---- the ops ------------------------------------------------------------------------------------------------------

void create(const std::string& section, const std::string& field) {
  const std::string key = section + "/" + field;
  const dtrace_id_t id = dtrace_probe_create(g_provider, section.c_str(), "", field.c_str(), 0, nullptr);
  std::lock_guard<std::mutex> lock(g_mutex);
  if (id != 0) g_probes[key].id = id;
}

void provide(void*, const dtrace_probedesc_t* spec) {
  if (spec != nullptr && (sonde_glob_match(spec->dtpd_provider, "redis") == 0)) return;
  Server server;
  std::vector<Counter> counters;
  std::string error;
  if (!server.counters(counters, error)) {
    const std::string text = "no Redis server at " + setting("REDIS", "127.0.0.1:6379") + ": " + error;
    if (spec != nullptr) sonde_provide_error("D_PDESC_ZERO", text.c_str());
    return;
  }
  for (const Counter& counter : counters) create(counter.section, counter.field);
  create("", "sample");
}

Probe* probe_of(dtrace_id_t id) {
  for (auto& [key, probe] : g_probes)
    if (probe.id == id) return &probe;
  return nullptr;
}

void enable(void*, dtrace_id_t id, void*) {
  std::lock_guard<std::mutex> lock(g_mutex);
  Probe* probe = probe_of(id);
  if (probe == nullptr) return;
  probe->enabled = true;
  probe->has_last = false;
  if (g_enabled++ != 0) return;
  g_ending = false;
  sigset_t all, before;  // signals are the session's
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  g_thread = std::thread(poll_server);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void disable(void*, dtrace_id_t id, void*) {
  {
    std::lock_guard<std::mutex> lock(g_mutex);
    Probe* probe = probe_of(id);
    if (probe == nullptr) return;
    probe->enabled = false;
    if (--g_enabled != 0) return;
    g_ending = true;
    g_end.notify_one();
  }
  g_thread.join();
}

void getargdesc(void*, dtrace_id_t id, void*, dtrace_argdesc_t* desc) {
  std::lock_guard<std::mutex> lock(g_mutex);
  const auto sample = g_probes.find("/sample");
  const int count = sample != g_probes.end() && sample->second.id == id ? 1 : 2;
  if (desc->dtargd_ndx >= count) {
    desc->dtargd_ndx = DTRACE_ARGNONE;
    return;
  }
  desc->dtargd_mapping = desc->dtargd_ndx;
  strcpy(desc->dtargd_native, "int64_t");
  strcpy(desc->dtargd_name, count == 1 ? "took" : desc->dtargd_ndx == 0 ? "value" : "added");
}

void destroy(void*, dtrace_id_t id, void*) {
  std::lock_guard<std::mutex> lock(g_mutex);
  for (auto at = g_probes.begin(); at != g_probes.end(); ++at) {
    if (at->second.id != id) continue;
    g_probes.erase(at);
    return;
  }
}

int start() {
  const dtrace_attribute_t evolving = {DTRACE_STABILITY_EVOLVING, DTRACE_STABILITY_EVOLVING, DTRACE_CLASS_COMMON};
  const dtrace_pattr_t attributes = {evolving, evolving, evolving, evolving, evolving};
  dtrace_pops_t ops = {};
  ops.dtps_provide = provide;
  ops.dtps_enable = enable;
  ops.dtps_disable = disable;
  ops.dtps_getargdesc = getargdesc;
  ops.dtps_destroy = destroy;
  return dtrace_register("redis", &attributes, DTRACE_PRIV_USER, nullptr, &ops, nullptr, &g_provider);
}

void stop() { dtrace_unregister(g_provider); }

}  // namespace

SONDE_PLUGIN(start, stop, nullptr);
