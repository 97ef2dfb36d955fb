# SPDX-License-Identifier: GPL-3.0-or-later
# What a start of the command costs before main(): its shared libraries, its relocations and its static initializers.
# SONDE_QUICK_START links it
#   at a fixed address: LLVM alone has 90,000 addresses to relocate, which dirties 400 pages;
#   with the archives of its libraries inside: each shared one takes 0.1 ms;
#   with the initializers of LLVM and ANTLR put off until these are used (late_initializers.ld).
# Together: 150 page faults for 990. The C++ library is one of these archives: as a shared one it takes 0.5 ms, for it
# looks up thousands of its own symbols. A plug-in brings the shared one along. There must be one place that knows what
# has been thrown and what std::terminate() calls, so the command exports its own (exports.cmake).
# The price: whoever attacks the command knows where its own code lies; stack, heap and shared libraries stay at random
# addresses. OFF links it as distributions want it.
include(CMakeDependentOption)
cmake_dependent_option(SONDE_QUICK_START "link the command for a quick start" ON "NOT SONDE_SANITIZE;NOT SONDE_FUZZ" OFF)
set(ZLIB_USE_STATIC_LIBS ${SONDE_QUICK_START})  # LLVM's package looks for it

# sonde_find_archive(variable name): the library, as an archive if there is one and a quick start is wanted.
function(sonde_find_archive variable name)
  set(names ${name} lib${name}.so.1.0)
  if(SONDE_QUICK_START)
    list(PREPEND names lib${name}.a)
  endif()
  unset(found)
  find_library(found NAMES ${names} REQUIRED NO_CACHE)
  set(${variable} ${found} PARENT_SCOPE)
endfunction()

# sonde_starts_quickly(target)
function(sonde_starts_quickly target)
  if(NOT SONDE_QUICK_START)
    return()
  endif()
  set(script ${CMAKE_SOURCE_DIR}/cmake/late_initializers.ld)
  target_link_options(${target} PRIVATE -no-pie -static-libstdc++ -static-libgcc -Wl,-T,${script})
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${script})
endfunction()
