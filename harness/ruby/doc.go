// Package ruby knows Ruby interpreters: which one a path leads to, which
// variables set its garbage collector, what their values may be, and whether a
// given value was really taken.
//
// What the documentation says and what an interpreter does differ by line, by
// patch release and by build. The catalogue therefore only proposes; the
// interpreter itself is launched to confirm every name and every value.
package ruby
