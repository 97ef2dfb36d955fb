# SPDX-License-Identifier: GPL-3.0-or-later
# cmake -DOUT=FILE -DTEXTS=A.d;B.d -P embed.cmake: writes the D texts as rows of library.cpp's table.
set(rows "")
foreach(file IN LISTS TEXTS)
  file(READ ${file} text)
  get_filename_component(name ${file} NAME)
  string(APPEND rows "{\"${name}\",\n R\"d(\n${text})d\"},\n")
endforeach()
file(WRITE ${OUT} "${rows}")
