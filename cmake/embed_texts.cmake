# SPDX-License-Identifier: MIT
# cmake -DOUT=FILE -DTEXTS=A.d;B.d -P embed_texts.cmake: writes a source, C and C++, that defines sonde_texts.
set(rows "")
foreach(file IN LISTS TEXTS)
  file(READ ${file} text)
  string(REPLACE "\\" "\\\\" text "${text}")
  string(REPLACE "\"" "\\\"" text "${text}")
  string(REPLACE "\n" "\\n\"\n    \"" text "${text}")
  get_filename_component(name ${file} NAME)
  string(APPEND rows "  {\"${name}\",\n    \"${text}\"},\n")
endforeach()
file(WRITE ${OUT} "#include <sonde/provider.h>\n\nconst struct sonde_text sonde_texts[] = {\n${rows}  {0, 0}};\n")
