// SPDX-License-Identifier: GPL-3.0-or-later
#include "providers/pid/function_field.h"

#include <gtest/gtest.h>

namespace sonde::pid {
namespace {

constexpr char kPush[] = "_ZNSt6vectorIiSaIiEE9push_backERKi";

struct Case {
  const char *pattern, *symbol;
  bool matches;
};

class Fields : public ::testing::TestWithParam<Case> {};

TEST_P(Fields, Match) {
  EXPECT_EQ(FunctionField(GetParam().pattern).matches(GetParam().symbol), GetParam().matches)
      << GetParam().pattern << " and " << GetParam().symbol;
}

INSTANTIATE_TEST_SUITE_P(Plain, Fields,
                         ::testing::Values(Case{"fib", "fib", true}, Case{"f*", "fib", true}, Case{"", "_Z3fibi", true},
                                           Case{"*", "_Z3fibi", true}, Case{"fib", "fibber", false},
                                           Case{"_Z3fibi", "_Z3fibi", true}, Case{"_Z3*", "_Z3fibi", true}));

INSTANTIATE_TEST_SUITE_P(
    Source, Fields,
    ::testing::Values(
        Case{"fib", "_Z3fibi", true}, Case{"fib(int)", "_Z3fibi", true}, Case{"fib(long)", "_Z3fibi", false},
        Case{"fi", "_Z3fibi", false}, Case{"fi?", "_Z3fibi", true}, Case{"f*", "_Z3fibi", true},
        Case{"g*", "_Z3fibi", false}, Case{"*b", "_ZN3app3fibEi", true}, Case{"fib", "_ZN3app3fibEi", false},
        Case{"app::fib", "_ZN3app3fibEi", true}, Case{"app::*", "_ZN3app3fibEi", true},
        Case{"app::[f]ib", "_ZN3app3fibEi", true}, Case{"*::fib", "_ZN3app3fibEi", true},
        Case{"app::fib(*", "_ZN3app3fibEi", true}, Case{"app::fib", "_ZN3app3fibEi.cold", false},
        Case{"app::fib*", "_ZN3app3fibEi.constprop.0", true},
        Case{"(anonymous namespace)::hid", "_ZN12_GLOBAL__N_13hidEi", true},
        Case{"*::hid", "_ZN12_GLOBAL__N_13hidEi", true}, Case{"app::twice<int>", "_ZN3app5twiceIiEET_S1_", true},
        Case{"app::twice<*>", "_ZN3app5twiceIiEET_S1_", true},
        Case{"app::twice<int>(int)", "_ZN3app5twiceIiEET_S1_", true},
        Case{"app::twice", "_ZN3app5twiceIiEET_S1_", false}, Case{"app::S::operator*", "_ZN3app1SclEi", true},
        Case{"app::S::operator()", "_ZN3app1SclEi", true}, Case{"app::S::operator[]", "_ZN3app1SixEi", true},
        Case{"app::S::operator bool", "_ZNK3app1ScvbEv", true}, Case{"app::S::~S", "_ZN3app1SD1Ev", true},
        Case{"app::name[abi:cxx11]", "_ZN3app4nameB5cxx11Ev", true},
        Case{"app::S::get() const &", "_ZNKR3app1S3getEv", true},
        Case{"main::*lambda*", "_ZZ4mainENKUliE_clEi", true}));

// The default allocator of a vector need not be written, and blanks do not count.
INSTANTIATE_TEST_SUITE_P(
    Standard, Fields,
    ::testing::Values(Case{"std::vector<int>::push_back", kPush, true},
                      Case{"std::vector<int>::push_back(int const&)", kPush, true},
                      Case{"std::vector<int,std::allocator<int> >::push_back", kPush, true},
                      Case{"std::vector<long>::push_back", kPush, false}, Case{"std::*::push_back", kPush, true},
                      Case{"f(std::string const&)", "_Z1fRKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE", true},
                      Case{"std::map<int, char>::at", "_ZNSt3mapIicSt4lessIiESaISt4pairIKicEEE2atERS3_", true},
                      Case{"std::*", "_ZN3app3fibEi", false}));

INSTANTIATE_TEST_SUITE_P(
    Rust, Fields,
    ::testing::Values(Case{"mycrate::foo", "_RNvCs1234_7mycrate3foo", true},
                      Case{"mycrate::*", "_RNvCs1234_7mycrate3foo", true},
                      Case{"other::*", "_RNvCs1234_7mycrate3foo", false},
                      Case{"core::fmt::*::write_fmt", "_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE", true},
                      Case{"*closure*", "_ZN1a28_$u7b$$u7b$closure$u7d$$u7d$17h0123456789abcdefE", true}));

}  // namespace
}  // namespace sonde::pid
