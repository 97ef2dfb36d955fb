# SPDX-License-Identifier: MIT
# What sonde_add_script_test() runs.
execute_process(COMMAND ${SONDE} --provider=${PROVIDER} -qs ${SCRIPT} ${ARGUMENTS}
  OUTPUT_VARIABLE found ERROR_VARIABLE errors RESULT_VARIABLE status TIMEOUT 100)
file(READ ${OUTPUT} wanted)
foreach(text found wanted)
  string(REGEX REPLACE "\n\n+" "\n" ${text} "\n${${text}}\n")
endforeach()
if(NOT status EQUAL 0 OR NOT found STREQUAL wanted)
  message(FATAL_ERROR "status ${status}\n${errors}\nprinted:${found}wanted:${wanted}")
endif()
