-- SPDX-License-Identifier: GPL-3.0-or-later
-- Turns pages of docs/ into a manual page, as a filter of pandoc. A terminal has 80 columns and no links, so
--   a table becomes a list: its first column is the label, and the columns behind the second have their headings before them;
--   a link to a page that is a manual page names that, one to another section names the section, and any other names the file;
--   code is bold, and has hyphens that can be copied.
-- The title of a page becomes the heading of a section. A page alone has NAME and DESCRIPTION instead, and so has what stands
-- before the first title of several.
-- Metadata: names, the first of them the page's own; sentence; docs, the folder of the installed pages.

local names, sentence, docs = {}, "", ""
local referred, titles = {}, {}

local function escaped(text)
  return (text:gsub("\\", "\\[rs]"):gsub("-", "\\-"):gsub("'", "\\[aq]"):gsub("`", "\\[ga]"):gsub("%^", "\\[ha]"):gsub("~", "\\[ti]"):gsub('"', "\\[dq]"))
end

local function raw(text)
  return pandoc.RawInline("man", text)
end

local function bold(text)
  return raw("\\f[B]" .. escaped(text) .. "\\f[R]")
end

local function capitals(text)
  return pandoc.text.upper(text)
end

-- The title of a page of docs/: its first line.
local function title_of(file)
  local page = assert(io.open(file), "no page " .. file)
  local line = page:read("l")
  page:close()
  return assert(line:match("^# (.*)"), file .. " has no title")
end

-- the manual page that is made of this file, or nil
local function manual_page(file)
  local provider = file:match("^([%w-]+)%.md$")
  if file:match("language/[%w-]+%.md$") then return "sonde-d" end
  provider = file:match("providers/([%w-]+)%.md$") or (names[1] ~= "d" and provider)
  return provider and "sonde-" .. provider
end

local function link(element)
  local file = element.target:match("^[^#]*")
  local text = pandoc.utils.stringify(element.content)
  if file == "" or file:match("^%w+:") then return element.content end
  local same = text == file:match("[^/]*$") or text == file:match("([^/]*)%.md$")  -- the file's name: another says more
  local manual = manual_page(file)
  if manual then
    if manual ~= "sonde-" .. names[1] then referred[manual] = true end
    local name = raw("\\f[B]" .. escaped(manual) .. "\\f[R](7)")
    return same and name or pandoc.Inlines(element.content) .. { pandoc.Str " (" , name, pandoc.Str ")" }
  end
  if names[1] == "d" and not file:match("/") then  -- a section of this page
    local section = raw("\\f[I]" .. escaped(capitals(title_of(file))) .. "\\f[R]")
    return same and section or pandoc.Inlines(element.content) .. { pandoc.Str " (", section, pandoc.Str ")" }
  end
  local path = pandoc.path.normalize(pandoc.path.join { names[1] == "d" and "language" or "providers", file })
  while path:match("[^/]+/%.%./") do path = path:gsub("[^/]+/%.%./", "", 1) end
  assert(io.open("../" .. path), "no page " .. path):close()
  local place = raw("\\f[I]" .. escaped(docs .. "/" .. path) .. "\\f[R]")
  return same and place or pandoc.Inlines(element.content) .. { pandoc.Str " (", place, pandoc.Str ")" }
end

local function code_block(element)
  local lines = escaped(element.text):gsub("\n([.])", "\n\\&%1"):gsub("^([.])", "\\&%1")
  return pandoc.RawBlock("man", ".PP\n.RS 4\n.EX\n" .. lines .. "\n.EE\n.RE")
end

local function empty(cell)
  return pandoc.utils.stringify(cell) == ""
end

-- A cell below its label: the heading stands before it, if it has one.
local function described(heading, cell)
  local inlines = pandoc.utils.blocks_to_inlines(cell)
  if empty(heading) or #inlines == 0 then return inlines end
  return pandoc.Inlines { pandoc.Emph(pandoc.utils.blocks_to_inlines(heading)), pandoc.Str ":", pandoc.Space() } .. inlines
end

local function list_of(element)
  local simple = pandoc.utils.to_simple_table(element)
  local labelled = not empty(simple.headers[1])
  local items = {}
  if labelled then
    local label = pandoc.Emph(pandoc.utils.blocks_to_inlines(simple.headers[1]))
    local said = pandoc.Emph(pandoc.utils.blocks_to_inlines(simple.headers[2]))
    table.insert(items, { { label }, { { pandoc.Plain { said } } } })
  end
  for _, row in ipairs(simple.rows) do
    local body = pandoc.Inlines {}
    for column = 2, #row do
      local more = described(labelled and column == 2 and {} or simple.headers[column], row[column])
      if #more > 0 and #body > 0 then body:insert(raw("\n.br\n")) end
      body = body .. more
    end
    table.insert(items, { pandoc.utils.blocks_to_inlines(row[1]), { { pandoc.Plain(body) } } })
  end
  return pandoc.DefinitionList(items)
end

local function strong(element)
  return element:walk { Code = function(code) return raw(escaped(code.text)) end }
end

-- The title of a page becomes a section. Headings below the title of a page alone become sections themselves.
local function whole_page(document)
  local blocks, alone = pandoc.Blocks {}, #titles == 1
  local listed = {}
  for _, name in ipairs(names) do table.insert(listed, "sonde\\-" .. name) end
  blocks:insert(pandoc.Header(1, "NAME"))
  blocks:insert(pandoc.Para(pandoc.Inlines { raw(table.concat(listed, ", ") .. " \\- ") } .. sentence))
  local first = true
  for _, block in ipairs(document.blocks) do
    if block.t == "Header" then
      local level = block.level
      if first then
        block = pandoc.Header(1, "DESCRIPTION")
      elseif level == 1 or (alone and level == 2) then
        block = pandoc.Header(1, capitals(pandoc.utils.stringify(block.content)))
      else
        block = pandoc.Header(2, block.content)
      end
      first = false
    end
    blocks:insert(block)
  end
  local others = {}
  for name in pairs(referred) do table.insert(others, name) end
  table.sort(others)
  table.insert(others, 1, "sonde")
  for index, name in ipairs(others) do
    others[index] = "\\f[B]" .. escaped(name) .. "\\f[R](" .. (name == "sonde" and 1 or 7) .. ")"
  end
  blocks:insert(pandoc.Header(1, "SEE ALSO"))
  blocks:insert(pandoc.Para { raw(table.concat(others, ", ")) })
  blocks:insert(pandoc.Para { raw("\\f[I]" .. escaped(docs .. "/README.md") .. "\\f[R]: all pages") })
  return pandoc.Pandoc(blocks, document.meta)
end

local function read_metadata(meta)
  for name in pandoc.utils.stringify(meta.names):gmatch("[^,]+") do table.insert(names, name) end
  docs = pandoc.utils.stringify(meta.docs)
  sentence = pandoc.utils.blocks_to_inlines(pandoc.read(pandoc.utils.stringify(meta.sentence), "gfm").blocks)
  sentence = pandoc.Para(sentence):walk { Code = function(code) return pandoc.Str(code.text) end }.content
end

local function note_title(element)
  if element.level == 1 then table.insert(titles, pandoc.utils.stringify(element.content)) end
end

return {
  { Meta = read_metadata },
  { Header = note_title, Table = list_of },
  { Strong = strong, Code = function(element) return bold(element.text) end, CodeBlock = code_block, Link = link },
  { Pandoc = whole_page },
}
