# SPDX-License-Identifier: GPL-3.0-or-later
# PREFIX/bin/sonde                      the command; its D library is inside
# PREFIX/include/sonde/provider.h       the provider interface, with the headers that it includes
# PREFIX/include/sonde/sdt.h            the macros of probes in programs
# PREFIX/bin/dtrace                     with SONDE_INSTALL_DTRACE: a link to sonde, for makefiles that call dtrace
# PREFIX/lib/sonde/providers/           plug-ins that every run loads
# PREFIX/lib/cmake/Sonde, share/pkgconfig for those who build plug-ins
# PREFIX/lib/systemd/system/            sonde@.service: scripts that run on
# PREFIX/share/sonde/trace_methods.rb   what Ruby loads so that it fires its probes
# PREFIX/share/sonde/tools/             the tools: scripts that are run by their name
# PREFIX/share/man/man1/sonde.1, a page for each tool, and the completions of bash, zsh and fish: what the command prints of itself
# PREFIX/share/man/man7/                sonde-d and a page for each provider, made from docs/ by packaging/man/pages
# PREFIX/share/doc/sonde/               the pages; examples/ and samples/
# PREFIX/src/sonde-VERSION/             the kernel module's sources, as DKMS wants them
# PREFIX/lib/udev, PREFIX/lib/sysusers.d the device's rule and group
#
# A component is a Debian package (packaging/debian): sonde, of which is all that names none; sonde-dev; sonde-dkms.
# The target `uninstall` removes what `cmake --install` has installed from this build folder: uninstall.cmake.
include(CMakePackageConfigHelpers)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME sonde)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/Sonde)
set(headers ${CMAKE_INSTALL_INCLUDEDIR}/sonde)
set(providers ${CMAKE_INSTALL_LIBDIR}/sonde/providers)

install(TARGETS sonde RUNTIME)
option(SONDE_INSTALL_DTRACE "install sonde under the name dtrace, too" OFF)
if(SONDE_INSTALL_DTRACE)
  file(CREATE_LINK sonde ${CMAKE_BINARY_DIR}/generated/dtrace SYMBOLIC)
  install(FILES ${CMAKE_BINARY_DIR}/generated/dtrace DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT sonde-dev)
endif()
install(FILES compiler/header/sdt.h runtime/framework/provider.h DESTINATION ${headers} COMPONENT sonde-dev)
install(FILES kmod/shared/event.h kmod/shared/leave.h kmod/shared/location.h DESTINATION ${headers}/kmod/shared COMPONENT sonde-dev)
install(DIRECTORY DESTINATION ${providers})

configure_package_config_file(cmake/SondeConfig.cmake.in ${CMAKE_BINARY_DIR}/generated/SondeConfig.cmake
  INSTALL_DESTINATION ${package} PATH_VARS CMAKE_INSTALL_BINDIR CMAKE_INSTALL_INCLUDEDIR providers)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/generated/SondeConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/generated/SondeConfig.cmake ${CMAKE_BINARY_DIR}/generated/SondeConfigVersion.cmake
  cmake/SondeProvider.cmake cmake/embed_texts.cmake cmake/run_script_test.cmake DESTINATION ${package} COMPONENT sonde-dev)

file(RELATIVE_PATH prefix_from_pc /${CMAKE_INSTALL_DATADIR}/pkgconfig /)
configure_file(cmake/sonde.pc.in ${CMAKE_BINARY_DIR}/generated/sonde.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/generated/sonde.pc DESTINATION ${CMAKE_INSTALL_DATADIR}/pkgconfig COMPONENT sonde-dev)

# systemd, udev and sysusers read lib/, whatever LIBDIR is.
install(FILES packaging/sonde@.service DESTINATION lib/systemd/system)
install(FILES kmod/packaging/60-sonde.rules DESTINATION lib/udev/rules.d COMPONENT sonde-dkms)
install(FILES kmod/packaging/sonde.sysusers DESTINATION lib/sysusers.d RENAME sonde.conf COMPONENT sonde-dkms)
set(module src/sonde-${PROJECT_VERSION})
install(FILES kmod/dkms.conf DESTINATION ${module} COMPONENT sonde-dkms)
install(DIRECTORY kmod DESTINATION ${module} COMPONENT sonde-dkms FILES_MATCHING PATTERN *.[chS] PATTERN Kbuild PATTERN Makefile
  PATTERN *.mod.c EXCLUDE PATTERN packaging EXCLUDE)

install(FILES providers/usdt/trace_methods.rb DESTINATION ${CMAKE_INSTALL_DATADIR}/sonde)
install(DIRECTORY tools/ DESTINATION ${CMAKE_INSTALL_DATADIR}/sonde/tools FILES_MATCHING PATTERN "*.d")

# sonde_install_text(NAME WORDS DESTINATION): what the command prints for these words is a file of that name in the build folder.
function(sonde_install_text name words destination)
  get_filename_component(folder ${CMAKE_BINARY_DIR}/generated/${name} DIRECTORY)
  file(MAKE_DIRECTORY ${folder})
  # Renamed when it is whole: somebody else may be installing from this folder.
  install(CODE "string(RANDOM end)
    execute_process(COMMAND $<TARGET_FILE:sonde> ${words} OUTPUT_FILE ${CMAKE_BINARY_DIR}/generated/${name}.\${end} COMMAND_ERROR_IS_FATAL ANY)
    file(RENAME ${CMAKE_BINARY_DIR}/generated/${name}.\${end} ${CMAKE_BINARY_DIR}/generated/${name})")
  install(FILES ${CMAKE_BINARY_DIR}/generated/${name} DESTINATION ${destination})
endfunction()
sonde_install_text(sonde.1 --help=man ${CMAKE_INSTALL_MANDIR}/man1)
foreach(tool IN ITEMS calls summary)  # built in
  sonde_install_text(sonde-${tool}.1 "${tool} --help=man" ${CMAKE_INSTALL_MANDIR}/man1)
endforeach()
sonde_install_text(bash/sonde --completion=bash ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
sonde_install_text(zsh/_sonde --completion=zsh ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
sonde_install_text(fish/sonde.fish --completion=fish ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
file(GLOB tools CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR}/tools tools/*.d)
foreach(tool IN LISTS tools)
  if(IS_SYMLINK ${CMAKE_SOURCE_DIR}/tools/${tool})  # a second name
    continue()
  endif()
  string(REGEX REPLACE "[.]d$" "" tool ${tool})
  sonde_install_text(sonde-${tool}.1 "${tool} --help=man" ${CMAKE_INSTALL_MANDIR}/man1)
endforeach()

install(CODE "string(RANDOM end)
  set(pages ${CMAKE_BINARY_DIR}/generated/pages.\${end})
  execute_process(COMMAND ${CMAKE_SOURCE_DIR}/packaging/man/pages \${pages} \${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DOCDIR}/docs ${PROJECT_VERSION}
    COMMAND_ERROR_IS_FATAL ANY)
  file(INSTALL \${pages}/man7 DESTINATION \${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_MANDIR})
  file(REMOVE_RECURSE \${pages})")

install(FILES README.md CONTRIBUTING.md SECURITY.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY LICENSES samples DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR})

# What uninstall.cmake removes: a list for each prefix. With DESTDIR somebody makes a package, which has a list of its own.
set(installed ${CMAKE_BINARY_DIR}/installed)
install(CODE "set(folder ${installed})\nset(providers ${providers})" ALL_COMPONENTS)
install(CODE [[
  if("$ENV{DESTDIR}" STREQUAL "")
    string(MD5 name "${CMAKE_INSTALL_PREFIX}")
    set(files)
    if(EXISTS ${folder}/${name})
      file(STRINGS ${folder}/${name} files)
    endif()
    list(APPEND files ${CMAKE_INSTALL_MANIFEST_FILES} ${CMAKE_INSTALL_PREFIX}/${providers}/)
    list(REMOVE_DUPLICATES files)
    list(JOIN files "\n" files)
    file(WRITE ${folder}/${name} "${files}\n")
  endif()]] ALL_COMPONENTS)
add_custom_target(uninstall COMMAND ${CMAKE_COMMAND} -DLISTS=${installed}/* -P ${CMAKE_SOURCE_DIR}/cmake/uninstall.cmake VERBATIM)
