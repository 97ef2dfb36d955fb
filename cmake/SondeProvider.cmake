# SPDX-License-Identifier: MIT
# What a provider's CMakeLists.txt calls.
set(Sonde_FOLDER ${CMAKE_CURRENT_LIST_DIR})

# sonde_add_provider(NAME SOURCES file... [TEXTS file.d...]): the plug-in NAME.so. Of D texts `sonde_texts` is made, for SONDE_PLUGIN().
function(sonde_add_provider name)
  cmake_parse_arguments(ARG "" "" "SOURCES;TEXTS" ${ARGN})
  if(NOT ARG_SOURCES OR ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "sonde_add_provider(NAME SOURCES file... [TEXTS file.d...])")
  endif()
  if(ARG_TEXTS)
    get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
    set(ending cpp)
    if("C" IN_LIST languages)
      set(ending c)
    endif()
    set(made ${CMAKE_CURRENT_BINARY_DIR}/${name}_texts.${ending})
    list(TRANSFORM ARG_TEXTS PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ REGEX "^[^/]")
    add_custom_command(OUTPUT ${made} COMMAND ${CMAKE_COMMAND} -DOUT=${made} "-DTEXTS=${ARG_TEXTS}" -P ${Sonde_FOLDER}/embed_texts.cmake
      DEPENDS ${ARG_TEXTS} ${Sonde_FOLDER}/embed_texts.cmake VERBATIM)
  endif()
  add_library(${name} MODULE ${ARG_SOURCES} ${made})
  set_target_properties(${name} PROPERTIES PREFIX "" SUFFIX .so C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden)
  target_link_libraries(${name} PRIVATE Sonde::provider)
endfunction()

# sonde_add_provider_test(NAME [PROBES description...] [COMMAND word...]): the test NAME.contract: sonde --check-provider. PROBES asks for
# probes that the provider makes on demand; COMMAND is traced, and makes the probes fire.
function(sonde_add_provider_test name)
  cmake_parse_arguments(ARG "" "" "PROBES;COMMAND" ${ARGN})
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "sonde_add_provider_test(NAME [PROBES description...] [COMMAND word...])")
  endif()
  set(command)
  foreach(probe IN LISTS ARG_PROBES)
    list(APPEND command -n ${probe})
  endforeach()
  if(ARG_COMMAND)
    list(JOIN ARG_COMMAND " " words)
    list(APPEND command -c ${words})
  endif()
  add_test(NAME ${name}.contract COMMAND Sonde::sonde --check-provider=$<TARGET_FILE:${name}> ${command})
  set_tests_properties(${name}.contract PROPERTIES TIMEOUT 120)
endfunction()

# sonde_add_script_test(NAME SCRIPT file.d OUTPUT file.out [ARGUMENTS word...]): the test NAME.FILE: what `sonde -qs file.d ARGUMENTS` prints, with
# the provider NAME, is what stands in file.out, but for blank lines.
function(sonde_add_script_test name)
  cmake_parse_arguments(ARG "" "SCRIPT;OUTPUT" "ARGUMENTS" ${ARGN})
  get_filename_component(script ${ARG_SCRIPT} NAME_WE)
  add_test(NAME ${name}.${script} COMMAND ${CMAKE_COMMAND} -DSONDE=$<TARGET_FILE:Sonde::sonde> -DPROVIDER=$<TARGET_FILE:${name}>
    -DSCRIPT=${CMAKE_CURRENT_SOURCE_DIR}/${ARG_SCRIPT} -DOUTPUT=${CMAKE_CURRENT_SOURCE_DIR}/${ARG_OUTPUT}
    "-DARGUMENTS=${ARG_ARGUMENTS}" -P ${Sonde_FOLDER}/run_script_test.cmake)
  set_tests_properties(${name}.${script} PROPERTIES TIMEOUT 120)
endfunction()
