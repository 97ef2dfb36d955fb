// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "runtime/base/check.h"
#include "runtime/format/append.h"
#include "runtime/format/format.h"

namespace sonde {
namespace {

const ValueType kNumber{ValueType::Kind::Integer, true, 8, "int64_t"};

bool is_distribution(const AggTable& table) { return table.operations().value == nullptr; }

/// The element's number, normalized; 0 if there is no element.
int64_t number_of(const AggTable& table, const KeyedEntry* element) {
  return element == nullptr ? 0 : normalized(table.operations().value(element->data()), table.normal);
}

void print_block(const AggTable& table, const KeyedEntry* element, std::string& out) {
  const Distribution& distribution = table.distribution();
  const std::vector<int64_t> nothing(element == nullptr ? distribution.buckets.size() : 0);
  format_distribution(distribution, element == nullptr ? nothing.data() : element->data(), table.normal, out);
}

void print_value(const AggTable& table, const KeyedEntry* element, std::string& out) {
  if (is_distribution(table)) return print_block(table, element, out);
  append_format(out, " %16lld", static_cast<long long>(number_of(table, element)));
}

/// Prints each CPU's share of the element after its value.
void print_cpus(const AggTable& table, const KeyedEntry& key, std::string& out) {
  for (const auto& [cpu, part] : table.cpus()) {
    const KeyedEntry* element = part->find(key);
    if (element == nullptr) continue;
    append_format(out, "\n    [CPU %u]", cpu);
    part->normal = table.normal;
    print_value(*part, element, out);
  }
}

/// Applies a format to one tuple: keys (for `*` as well) and aggregations are consumed in order.
class TupleFormatter {
 public:
  TupleFormatter(std::span<AggTable* const> tables, const JoinedRow& row, const uint64_t* keys,
                 const FormatSettings& settings)
      : tables_(tables), row_(row), keys_(keys), settings_(settings) {}

  void apply(const Conversion& conversion, std::string& out) {
    out += conversion.literal;
    if (conversion.letter == 0) return;
    const int width = conversion.width_argument ? number_of_columns(keys_[next_key_++]) : conversion.width;
    const int precision = conversion.precision_argument ? number_of_columns(keys_[next_key_++]) : conversion.precision;
    if (conversion.aggregation) return print_aggregation(conversion, width, precision, out);
    const std::vector<ValueType>& types = tables_[0]->desc().keys;
    SONDE_CHECK(next_key_ < types.size());
    format_sized(conversion, width, precision, types[next_key_], keys_[next_key_], settings_, out);
    ++next_key_;
  }

 private:
  /// When a format has more %@ than there are aggregations, the last one is repeated.
  void print_aggregation(const Conversion& conversion, int width, int precision, std::string& out) {
    size_t at = std::min(next_aggregation_++, tables_.size() - 1);
    if (is_distribution(*tables_[at])) return print_block(*tables_[at], row_.elements[at], out);
    auto value = static_cast<uint64_t>(number_of(*tables_[at], row_.elements[at]));
    format_sized(conversion, width, precision, kNumber, value, settings_, out);
  }

  std::span<AggTable* const> tables_;
  const JoinedRow& row_;
  const uint64_t* keys_;
  const FormatSettings& settings_;
  size_t next_key_ = 0;
  size_t next_aggregation_ = 0;
};

}  // namespace

void format_aggregations(std::span<AggTable* const> tables, const SortRules& rules, const FormatSettings& settings,
                         std::string& out) {
  const KeyCodec& codec = tables[0]->codec();
  const std::vector<ValueType>& types = tables[0]->desc().keys;
  std::vector<uint64_t> keys(codec.count());
  for (const JoinedRow& row : join(tables, rules)) {
    codec.decode(row.key->key(), keys.data());
    for (size_t i = 0; i < keys.size(); ++i) format_key(types[i], keys[i], settings, out);
    for (size_t i = 0; i < tables.size(); ++i) {
      print_value(*tables[i], row.elements[i], out);
      print_cpus(*tables[i], *row.key, out);
    }
    out += '\n';
  }
}

void format_printa(std::span<const Conversion> format, std::span<AggTable* const> tables, const SortRules& rules,
                   const FormatSettings& settings, std::string& out) {
  const KeyCodec& codec = tables[0]->codec();
  std::vector<uint64_t> keys(codec.count());
  for (const JoinedRow& row : join(tables, rules)) {
    codec.decode(row.key->key(), keys.data());
    TupleFormatter formatter(tables, row, keys.data(), settings);
    for (const Conversion& conversion : format) formatter.apply(conversion, out);
  }
}

}  // namespace sonde
