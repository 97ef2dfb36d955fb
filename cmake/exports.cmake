# SPDX-License-Identifier: GPL-3.0-or-later
# sonde_exports_provider_interface(target): the executable exports the functions of provider.h, and nothing else, to what it loads.
set(provider_header ${CMAKE_SOURCE_DIR}/runtime/framework/provider.h)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${provider_header})
file(STRINGS ${provider_header} prototypes REGEX "^[a-z].*[ *](dtrace|sonde)_[a-z_]+[(]")
list(TRANSFORM prototypes REPLACE "^.*[ *]((dtrace|sonde)_[a-z_]+)[(].*$" "\\1")
list(JOIN prototypes ";\n  " prototypes)
set(sonde_exports ${CMAKE_BINARY_DIR}/generated/provider.exports)
file(CONFIGURE OUTPUT ${sonde_exports} CONTENT "{\n  @prototypes@;\n};\n" @ONLY)

function(sonde_exports_provider_interface target)
  target_link_options(${target} PRIVATE -Wl,--dynamic-list=${sonde_exports})
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${sonde_exports})
endfunction()
