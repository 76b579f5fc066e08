// Package source sets a collector whose parameters are constants of its C
// source: it finds them in gc.c, writes a setting's values in their places,
// shows the change as a patch, and builds the interpreter from a copy of the
// user's tree, which itself is never written to.
//
// Scan and the methods of Found are pure but for reading one file. Builder
// copies, builds and keeps the results in a cache that several processes share.
package source
