// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/process/demangle.h"

#include <gtest/gtest.h>

namespace sonde {
namespace {

struct Case {
  const char *symbol, *whole, *bare;
};

class Demangle : public ::testing::TestWithParam<Case> {};

TEST_P(Demangle, ANameWithAndWithoutItsParameters) {
  const SourceName name = source_name(GetParam().symbol);
  EXPECT_EQ(name.whole, GetParam().whole);
  EXPECT_EQ(name.bare, GetParam().bare);
}

INSTANTIATE_TEST_SUITE_P(
    Cxx, Demangle,
    ::testing::Values(
        Case{"_Z3fibi", "fib(int)", "fib"}, Case{"_ZL3loci", "loc(int)", "loc"},
        Case{"_ZN12_GLOBAL__N_13hidEi", "(anonymous namespace)::hid(int)", "(anonymous namespace)::hid"},
        Case{"_ZN3app1SC2Ei", "app::S::S(int)", "app::S::S"}, Case{"_ZN3app1SD1Ev", "app::S::~S()", "app::S::~S"},
        Case{"_ZN3app1SclEi", "app::S::operator()(int)", "app::S::operator()"},
        Case{"_ZNK3app1ScvbEv", "app::S::operator bool() const", "app::S::operator bool"},
        Case{"_ZNKR3app1S3getEv", "app::S::get() const &", "app::S::get"},
        Case{"_ZN3app5twiceIiEET_S1_", "app::twice<int>(int)", "app::twice<int>"},  // without the return type,
        Case{"_ZN3app4pickIiEEPFicET_", "app::pick<int>(int)", "app::pick<int>"},   // also if that surrounds the name
        Case{"_ZNK3app1S4pickIiEEPFicET_", "app::S::pick<int>(int)", "app::S::pick<int>"},
        Case{"_ZNSt6vectorIiSaIiEE9push_backERKi", "std::vector<int, std::allocator<int>>::push_back(int const&)",
             "std::vector<int, std::allocator<int>>::push_back"},
        Case{"_ZN3app4nameB5cxx11Ev", "app::name[abi:cxx11]()", "app::name[abi:cxx11]"},
        Case{"_ZZ4mainENKUliE_clEi", "main::'lambda'(int)::operator()(int) const", "main::'lambda'(int)::operator()"},
        Case{"_ZN3app3fibEi.cold", "app::fib(int) (.cold)", "app::fib (.cold)"},
        Case{"_ZThn16_N3app1SD1Ev", "non-virtual thunk to app::S::~S()", "non-virtual thunk to app::S::~S()"}));

INSTANTIATE_TEST_SUITE_P(
    Rust, Demangle,
    ::testing::Values(
        Case{"_RNvCs1234_7mycrate3foo", "mycrate::foo", "mycrate::foo"},
        Case{"_RNvMs_Cs4Cv8Wi1oAIB_7mycrateNtB4_3Bar3baz", "<mycrate::Bar>::baz", "<mycrate::Bar>::baz"},
        Case{"_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE", "core::fmt::Write::write_fmt",
             "core::fmt::Write::write_fmt"},
        Case{"_ZN66_$LT$alloc..vec..Vec$LT$T$GT$$u20$as$u20$core..ops..drop..Drop$GT$4drop17h0123456789abcdefE",
             "<alloc::vec::Vec<T> as core::ops::drop::Drop>::drop",
             "<alloc::vec::Vec<T> as core::ops::drop::Drop>::drop"},
        Case{"_ZN7mycrate6a$u1$b17h0123456789abcdefE", "mycrate::a$u1$b", "mycrate::a$u1$b"},  // no character to show
        Case{"_ZN7mycrate4main28_$u7b$$u7b$closure$u7d$$u7d$17h0123456789abcdefE.llvm.12", "mycrate::main::{{closure}}",
             "mycrate::main::{{closure}}"}));

// Names that are not mangled, or cannot be demangled, stay. The last has no Rust hash, so it is C++.
INSTANTIATE_TEST_SUITE_P(Others, Demangle,
                         ::testing::Values(Case{"main", "main", "main"}, Case{"_Zxy", "_Zxy", "_Zxy"},
                                           Case{"_Dfoo", "_Dfoo", "_Dfoo"}, Case{"_ZN3app", "_ZN3app", "_ZN3app"},
                                           Case{"_ZN99", "_ZN99", "_ZN99"}, Case{"_R", "_R", "_R"},
                                           Case{"_ZN4core3fmt17h0123456789abcdegEv", "core::fmt::h0123456789abcdeg()",
                                                "core::fmt::h0123456789abcdeg"}));

TEST(DemangleLimits, AVeryLongNameStays) {
  const std::string symbol = "_Z5000" + std::string(5000, 'a') + "v";
  EXPECT_EQ(source_name(symbol).whole, symbol);
}

}  // namespace
}  // namespace sonde
