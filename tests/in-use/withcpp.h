/* For withcpp.d. */
#define LIMIT 3
