BEGIN /1/
/* @rows: clause.predicate_alone */
