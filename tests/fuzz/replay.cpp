// SPDX-License-Identifier: GPL-3.0-or-later
// A fuzzer without libFuzzer, so that every test run has one: feeds its seeds to a fuzz target, then random changes of
// them.
//
//   NAME_replay SECONDS [SEED-FILE...]      SONDE_SEED repeats a run
//
// A sanitizer or a trap reports a finding; the input is then in the file NAME_replay.input of the current folder.
#include <sanitizer/common_interface_defs.h>
#include <signal.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

using Input = std::vector<uint8_t>;
constexpr size_t kMostBytes = 4096;

std::string g_keep;              // file for an input that ends the program
const Input* g_input = nullptr;  // the current input

void keep_input() {
  if (g_input == nullptr) return;
  std::ofstream file(g_keep, std::ios::binary);
  file.write(reinterpret_cast<const char*>(g_input->data()), static_cast<std::streamsize>(g_input->size()));
}

void run(const Input& input) {
  const Input exact(input.begin(), input.end());  // no capacity beyond its end
  g_input = &exact;
  LLVMFuzzerTestOneInput(exact.data(), exact.size());
  g_input = nullptr;
}

Input read(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return Input(std::istreambuf_iterator<char>(file), {});
}

class Changes {
 public:
  explicit Changes(uint64_t seed) : random_(seed) {}

  size_t below(size_t n) { return n == 0 ? 0 : std::uniform_int_distribution<size_t>(0, n - 1)(random_); }

  Input random_bytes() {
    Input input(below(512));
    for (uint8_t& byte : input) byte = static_cast<uint8_t>(below(256));
    return input;
  }

  /// Sets some bytes, removes some, or copies some from the other input.
  void change(Input& input, const Input& other) {
    for (size_t n = 1 + below(8); n > 0; n--) {
      const auto at = input.begin() + static_cast<ptrdiff_t>(below(input.size() + 1));
      const size_t left = static_cast<size_t>(input.end() - at), from = below(other.size()), most = 1 + below(16);
      const auto piece = other.begin() + static_cast<ptrdiff_t>(from);
      const size_t length = std::min(most, other.size() - std::min(from, other.size()));
      switch (below(4)) {
        case 0: input.erase(at, at + static_cast<ptrdiff_t>(std::min(most, left))); break;
        case 1: input.insert(at, piece, piece + static_cast<ptrdiff_t>(length)); break;
        case 2: input.insert(at, static_cast<uint8_t>(below(256))); break;
        default:
          if (left > 0) *at = static_cast<uint8_t>(below(2) == 0 ? below(256) : *at ^ (1u << below(8)));
      }
    }
    if (input.size() > kMostBytes) input.resize(kMostBytes);
  }

 private:
  std::mt19937_64 random_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const char* given = std::getenv("SONDE_SEED");
  const uint64_t seed = given != nullptr ? std::strtoull(given, nullptr, 0) : std::random_device{}();
  const std::string name = argv[0];
  g_keep = name.substr(name.rfind('/') + 1) + ".input";
  __sanitizer_set_death_callback(keep_input);
  for (int trap : {SIGILL, SIGABRT}) {
    ::signal(trap, [](int number) {
      keep_input();
      ::signal(number, SIG_DFL);
      ::raise(number);
    });
  }
  std::printf("SONDE_SEED=%lu\n", seed);
  std::fflush(stdout);
  std::vector<Input> inputs;
  for (int n = 2; n < argc; n++) run(inputs.emplace_back(read(argv[n])));
  Changes changes(seed);
  while (inputs.size() < 64) inputs.push_back(changes.random_bytes());
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(std::atoi(argv[1]));
  uint64_t runs = 0;
  for (; std::chrono::steady_clock::now() < end; runs++) {
    Input& input = inputs[changes.below(inputs.size())];
    Input changed = runs % 16 == 0 ? changes.random_bytes() : input;
    changes.change(changed, inputs[changes.below(inputs.size())]);
    run(changed);
    if (changes.below(8) == 0) input = std::move(changed);
  }
  std::printf("%d seeds, %lu inputs\n", argc - 2, runs);
  return 0;
}
