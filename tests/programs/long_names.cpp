// SPDX-License-Identifier: GPL-3.0-or-later
// A function whose name is wider than any column
namespace a_library_with_a_long_name::details_of_its_tables::second_version {
[[gnu::noinline]] int reserve_and_rehash_all_of_the_elements(int x) {
  asm volatile("");
  return x + 1;
}
}  // namespace a_library_with_a_long_name::details_of_its_tables::second_version

int main() {
  return a_library_with_a_long_name::details_of_its_tables::second_version::reserve_and_rehash_all_of_the_elements(-1);
}
