# SPDX-License-Identifier: GPL-3.0-or-later
# sonde_exports_provider_interface(target): the executable exports the functions of provider.h to what it loads. With the C++
# library inside (quick_start.cmake) it exports also the functions by which C++ throws, catches and terminates: the dynamic
# linker then binds a plug-in's C++ library to these, so a plug-in's exception is caught here as one of our own, and our
# terminate handler is its, too. Nothing else of the library is shared: each has its own locale, streams and memory pool.
set(provider_header ${CMAKE_SOURCE_DIR}/runtime/framework/provider.h)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${provider_header})
file(STRINGS ${provider_header} prototypes REGEX "^[a-z].*[ *](dtrace|sonde)_[a-z_]+[(]")
list(TRANSFORM prototypes REPLACE "^.*[ *]((dtrace|sonde)_[a-z_]+)[(].*$" "\\1")
list(JOIN prototypes ";\n  " prototypes)
set(exceptions "")
if(SONDE_QUICK_START)
  set(exceptions
      __cxa_allocate_exception __cxa_init_primary_exception __cxa_free_exception __cxa_allocate_dependent_exception
      __cxa_free_dependent_exception __cxa_throw __cxa_rethrow __cxa_begin_catch __cxa_end_catch __cxa_get_exception_ptr
      __cxa_current_exception_type __cxa_get_globals __cxa_get_globals_fast __cxa_call_unexpected __gxx_personality_v0
      _Unwind_* _ZSt9terminatev _ZSt10unexpectedv _ZSt13get_terminatev _ZSt13set_terminatePFvvE _ZSt17current_exceptionv
      _ZSt17rethrow_exception* _ZSt18uncaught_exceptionv _ZSt19uncaught_exceptionsv _ZNSt15__exception_ptr13exception_ptr*
      _ZNKSt15__exception_ptr13exception_ptr*)
  list(JOIN exceptions ";\n  " exceptions)
  string(PREPEND exceptions ";\n  ")
endif()
set(sonde_exports ${CMAKE_BINARY_DIR}/generated/provider.exports)
file(CONFIGURE OUTPUT ${sonde_exports} CONTENT "{\n  @prototypes@@exceptions@;\n};\n" @ONLY)

function(sonde_exports_provider_interface target)
  target_link_options(${target} PRIVATE -Wl,--dynamic-list=${sonde_exports})
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${sonde_exports})
endfunction()
