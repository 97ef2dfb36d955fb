// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "compiler/check/context.h"

namespace sonde {

/// p->m, s.m, self->x.
ExprPtr check_member(CheckContext& cx, ExprPtr expr);

/// The member of `record` that `expr` names; of a translated one, `translator` makes it. Fails if there is none.
const Member& find_member(CheckContext& cx, const Expr& expr, const Type& record,
                          const Translator* translator = nullptr);

/// a[i]: an element of a C array or an associative array, an inline with parameters, uregs[n], args[n].
ExprPtr check_index(CheckContext& cx, ExprPtr expr);

/// The member of the record at `pointer`.
ExprPtr member_at(CheckContext& cx, ExprPtr pointer, const Member& member, SourceRange where);

}  // namespace sonde
