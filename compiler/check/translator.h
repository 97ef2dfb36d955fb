// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "compiler/check/context.h"

namespace sonde {

/// Defines it, for all uses below.
void check_translator(CheckContext& cx, TranslatorSyntax& syntax);

/// Null: there is none. The output may be wanted as a pointer; a pointer to the input is another input.
const Translator* find_translator(CheckContext& cx, const Type* input, const Type* output);

/// The object: an Xlate of type Dynamic whose kids[0] is the input.
ExprPtr check_xlate(CheckContext& cx, ExprPtr expr);

/// The member that `expr` names of the object `base`.
ExprPtr translated_member(CheckContext& cx, ExprPtr expr, ExprPtr base);

/// The object as a whole: a struct in scratch memory, each member as its conversion says, the others zero.
///     (tmp = alloca(size), tmp->a = ..., tmp->b = ..., *tmp)
ExprPtr translated_record(CheckContext& cx, ExprPtr dynamic);

}  // namespace sonde
