// SPDX-License-Identifier: GPL-3.0-or-later
#include "compiler/header/declared.h"

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <sstream>

namespace sonde {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// "provider:probe/arguments" of each.
std::vector<std::string> declared(const std::string& text) {
  Diagnostics diagnostics;
  std::vector<std::string> all;
  for (const DeclaredProvider& provider : declared_providers(text, diagnostics))
    for (const DeclaredProbe& probe : provider.probes)
      all.push_back(provider.name + ":" + probe.name + "/" + std::to_string(probe.arguments));
  for (const Diagnostic& one : diagnostics.list()) ADD_FAILURE() << one.message << " " << one.hint << " of " << text;
  return all;
}

std::string first_error(const std::string& text) {
  Diagnostics diagnostics;
  (void)declared_providers(text, diagnostics);
  return diagnostics.any() ? diagnostics.list().front().tag + " " + diagnostics.list().front().message : "";
}

TEST(Declared, WhatPeopleWrite) {
  EXPECT_THAT(declared("provider p { probe a__b(int, char *name); probe c(); probe d(void); };"),
              ElementsAre("p:a__b/2", "p:c/0", "p:d/0"));
  EXPECT_THAT(declared("/* c */ provider p{probe a(int);}"), ElementsAre("p:a/1"));
  EXPECT_THAT(declared("provider p {\n probe a(int);\n}\nprovider q {\n probe a(int, int);\n}\n"),
              ElementsAre("p:a/1", "q:a/2"));
  EXPECT_THAT(declared("provider p { probe a(int a[3], int (*call)(int), void **, struct s *x); };"),
              ElementsAre("p:a/4"));
  EXPECT_THAT(declared("provider p { probe a(raw_t *c) : (cooked_t *c); probe b(int x) : (); };"),
              ElementsAre("p:a/1", "p:b/1"));
  EXPECT_THAT(declared("#pragma D attributes Evolving/Evolving/Common provider p name\nprovider p { };"), IsEmpty());
  EXPECT_THAT(declared("# 1 \"/dev/stdin\"\n# 7 \"x.h\" 1 3\nprovider p { probe a(); };"), ElementsAre("p:a/0"));
  EXPECT_THAT(
      declared("typedef struct t t;\nstruct u { t *one; v_t two[2]; enum { A, B = 2 } three; unsigned f : 3; };\n"
               "provider p { probe a(t *, struct u *); };\ntypedef int late;\n"),
      ElementsAre("p:a/2"));
}

TEST(Declared, WordsThatNobodyKnowsAreTypes) {
  EXPECT_THAT(declared("provider p { probe a(bool, const Oid id, Oid *, fork_t const *, list_t[2]); };"),
              ElementsAre("p:a/5"));
  EXPECT_THAT(declared("provider p { probe a(Oid); probe b(int Oid); probe Oid(int); };"),
              ElementsAre("p:a/1", "p:b/1", "p:Oid/1"));
}

TEST(Declared, LinesForCppAreDoubtful) {
  Diagnostics diagnostics;
  EXPECT_EQ(
      declared_providers(
          "#define T int\n#pragma D option quiet\n# file: x.c\n#line 3 \"x\"\nprovider p { probe a(T); };", diagnostics)
          .size(),
      1u);
  EXPECT_FALSE(diagnostics.any());
  ASSERT_EQ(diagnostics.warnings().size(), 1u);
  EXPECT_EQ(diagnostics.warnings().front().where.begin, 0u);
}

TEST(Declared, WhatIsWrong) {
  EXPECT_THAT(first_error("provider p1 { };"), HasSubstr("D_PROV_BADNAME provider name may not end with a digit"));
  EXPECT_THAT(first_error("provider p { probe a(); probe a(int); };"), HasSubstr("D_PROV_PRDUP"));
  EXPECT_THAT(first_error("provider p { probe a_b(); probe a__b(); };"),
              HasSubstr("has the macro of probe a_b: P_A_B"));
  EXPECT_THAT(first_error("provider p { probe a(); };\nprovider p { probe b(); };"), HasSubstr("D_PROV_INCOMPAT"));
  EXPECT_THAT(first_error("provider p_a { probe b(); }; provider p { probe a_b(); };"), HasSubstr("P_A_B"));
  EXPECT_THAT(first_error("provider p { probe a(int, ...); };"), HasSubstr("variable number"));
  EXPECT_THAT(first_error("provider p { probe a(int; };"), HasSubstr("syntax error near \";\""));
  EXPECT_THAT(first_error(""), HasSubstr("no provider is declared"));
  EXPECT_THAT(first_error("provider p { probe a(int)"), HasSubstr("syntax error near end of input"));
}

TEST(Header, SedFindsEachMacroOnce) {
  const std::vector<DeclaredProvider> providers = {{"my_app", {{"request__start", 2}, {"idle", 0}}},
                                                   {"LOUD", {{"cry", 1}}}};
  const std::string text = header_text(providers, "folder/app.d");
  EXPECT_THAT(text, HasSubstr("#define MY_APP_REQUEST_START(sonde_a1, sonde_a2) \\\n"));
  EXPECT_THAT(text, HasSubstr("#define MY_APP_IDLE() \\\n"));
  EXPECT_THAT(text, HasSubstr("#define MY_APP_IDLE_ENABLED() \\\n"));
  EXPECT_THAT(text, HasSubstr("Made by sonde -h of app.d.")) << text.substr(0, 200);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    for (const std::string prefix : {"MY_APP_", "LOUD_"}) {
      const size_t first = line.find(prefix);
      if (first == line.npos) continue;
      EXPECT_EQ(line.find(prefix, first + 1), line.npos) << line;
      EXPECT_TRUE(prefix == "LOUD_" || line.starts_with("#define ")) << line;
    }
    EXPECT_EQ(line.find("char *"), line.npos) << "PostgreSQL's makefile changes it: " << line;
  }
}

Elf64_Ehdr header_of(const std::string& object) {
  Elf64_Ehdr header;
  std::memcpy(&header, object.data(), sizeof header);
  return header;
}

std::string like(unsigned char size, Elf64_Half machine) {
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = size;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_machine = machine;
  header.e_flags = 5;
  header.e_type = ET_EXEC;
  return {reinterpret_cast<const char*>(&header), sizeof header};
}

TEST(Object, HasTheCountersOfItsMachine) {
  const std::vector<DeclaredProvider> providers = {{"app", {{"request__start", 2}, {"idle", 0}}}};
  const auto object = object_file(providers, like(ELFCLASS64, EM_AARCH64));
  ASSERT_TRUE(object);
  const Elf64_Ehdr header = header_of(*object);
  EXPECT_EQ(header.e_machine, EM_AARCH64);
  EXPECT_EQ(header.e_flags, 5u);
  EXPECT_EQ(header.e_type, ET_REL);
  EXPECT_EQ(header.e_shoff + header.e_shnum * sizeof(Elf64_Shdr), object->size());
  EXPECT_EQ(header.e_shnum, 4 + 2 * 2);
  for (const char* name : {"app_request__start_semaphore", "app_idle_semaphore"})
    EXPECT_THAT(*object, HasSubstr(std::string(1, '\0') + name + std::string(1, '\0')));
}

TEST(Object, OtherFilesAreRefused) {
  const auto narrow = object_file({}, like(ELFCLASS32, EM_386));
  ASSERT_FALSE(narrow);
  EXPECT_THAT(narrow.error().message(), HasSubstr("32 bits"));
  EXPECT_FALSE(object_file({}, "!<arch>\nand more and more and more and more and more and more and more"));
  EXPECT_FALSE(object_file({}, "\177ELF"));
  EXPECT_TRUE(object_file({}, like(ELFCLASS64, EM_X86_64)));
}

}  // namespace
}  // namespace sonde
