// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "compiler/check/context.h"

namespace sonde {

/// Defines a translator for the text that follows.
void check_translator(CheckContext& cx, TranslatorSyntax& syntax);

/// Null: there is none. The output may be asked for as a pointer; a pointer to the input type is another input type.
const Translator* find_translator(CheckContext& cx, const Type* input, const Type* output);

/// Makes the translated object: an Xlate of type Dynamic whose kids[0] is the input.
ExprPtr check_xlate(CheckContext& cx, ExprPtr expr);

/// The member of the translated object `base` that `expr` names.
ExprPtr translated_member(CheckContext& cx, ExprPtr expr, ExprPtr base);

/// The whole object: a struct in scratch memory, each member converted, the others zero.
///     (tmp = alloca(size), tmp->a = ..., tmp->b = ..., *tmp)
ExprPtr translated_record(CheckContext& cx, ExprPtr dynamic);

}  // namespace sonde
