package source

import (
	"go/constant"
	"runtime"
)

// chance says whether something holds in a build: never, perhaps (it depends
// on what the file does not say), or certainly. Ordered so that min is "and",
// max is "or" and certain-x is "not".
type chance int

const (
	never chance = iota
	perhaps
	certain
)

// truth is C's: anything but 0.
func truth(v constant.Value) chance {
	switch {
	case v.Kind() == constant.Unknown:
		return perhaps
	case constant.Sign(v) != 0:
		return certain
	}
	return never
}

func fromChance(c chance) constant.Value {
	if c == perhaps {
		return unknown
	}
	return fromBool(c == certain)
}

func fromBool(yes bool) constant.Value {
	if yes {
		return constant.MakeInt64(1)
	}
	return constant.MakeInt64(0)
}

// macros are the definitions in force at one point of a file.
type macros struct {
	word  int // bytes of a pointer, and of C's long
	table map[string]macro
	steps int // left for evaluating, as macros can name one another many times
}

type macro struct {
	defined chance
	body    []token
}

// noValue is the body of a macro whose value cannot be told.
var noValue = []token{{kind: mark, text: "("}}

// foreign macros tell systems apart on which no server of ours is built.
var foreign = []string{"MSDOS", "__MSDOS__", "__human68k__", "_WIN32", "_WIN64", "WIN32", "__WIN32__", "NT", "_MSC_VER",
	"__CYGWIN__", "__CYGWIN32__", "__MINGW32__", "DJGPP", "__DJGPP__", "__GO32__", "__EMX__", "OS2", "__OS2__", "__VMS", "VMS",
	"__BORLANDC__", "__WATCOMC__", "macintosh", "__MACOS__", "atarist", "__BEOS__", "__HAIKU__", "NeXT", "__NeXT__", "__minix",
	"__wasi__", "__EMSCRIPTEN__", "_AIX", "__hpux", "__sun", "__APPLE__", "__FreeBSD__", "__NetBSD__", "__OpenBSD__"}

// newMacros holds what is known before the first line for a build on Linux
// with pointers of so many bytes. The parameters' own names are taken to be
// undefined, as their #ifndef is there for builds that override the file.
func newMacros(wordBytes int) *macros {
	m := &macros{word: wordBytes, table: map[string]macro{}, steps: 1 << 16}
	for _, name := range foreign {
		m.undefine(name)
	}
	for _, list := range [][]Parameter{legacyParameters, modernParameters} {
		for _, p := range list {
			m.undefine(p.Name)
		}
	}
	for _, name := range []string{"__linux__", "__unix__", "__ELF__", "__STDC__"} {
		m.constant(name, "1")
	}
	m.table["__GNUC__"] = macro{certain, noValue} // of gcc and clang
	m.sizes()
	m.machine(runtime.GOARCH)
	return m
}

// machine defines what compilers do for this machine and its 32-bit form; for
// machines not listed the macros stay unknown.
func (m *macros) machine(arch string) {
	families := [][2][]string{ // 64-bit, 32-bit
		{{"__x86_64__", "__x86_64", "__amd64__", "__amd64"}, {"__i386__", "__i386"}},
		{{"__aarch64__"}, {"__arm__"}},
	}
	own, known := map[string]int{"amd64": 0, "386": 0, "arm64": 1, "arm": 1}[arch]
	if !known {
		return
	}
	for i, family := range families {
		for form, names := range family {
			for _, name := range names {
				m.undefine(name)
				if i == own && (form == 0) == (m.word == 8) {
					m.constant(name, "1")
				}
			}
		}
	}
}

func (m *macros) sizes() {
	bytes, bits := "4", "32"
	long, ulong := "2147483647", "4294967295"
	m.undefine("__LP64__")
	m.undefine("_LP64")
	if m.word == 8 {
		bytes, bits, long, ulong = "8", "64", "9223372036854775807", "18446744073709551615"
		m.constant("__LP64__", "1")
		m.constant("_LP64", "1")
	}
	for _, name := range []string{"SIZEOF_VOIDP", "SIZEOF_LONG", "SIZEOF_SIZE_T", "SIZEOF_VALUE", "__SIZEOF_POINTER__", "__SIZEOF_LONG__", "__SIZEOF_SIZE_T__"} {
		m.constant(name, bytes)
	}
	for name, value := range map[string]string{"SIZEOF_SHORT": "2", "SIZEOF_INT": "4", "SIZEOF_LONG_LONG": "8", "__WORDSIZE": bits,
		"INT_MAX": "2147483647", "UINT_MAX": "4294967295", "LONG_MAX": long, "ULONG_MAX": ulong, "SIZE_MAX": ulong} {
		m.constant(name, value)
	}
}

func (m *macros) constant(name, value string) {
	m.table[name] = macro{certain, []token{{kind: number, text: value}}}
}

func (m *macros) undefine(name string) { m.table[name] = macro{} }

// set enters a #define or #undef of a branch that is taken with some chance.
func (m *macros) set(name string, body []token, defined, taken chance) {
	switch taken {
	case certain:
		m.table[name] = macro{defined, body}
	case perhaps:
		old, known := m.table[name]
		switch {
		case !known || old.defined != defined:
			m.table[name] = macro{defined: perhaps}
		case defined == certain: // either way, with one value or the other
			m.table[name] = macro{certain, noValue}
		}
	}
}

func (m *macros) defined(name string) chance {
	if known, ok := m.table[name]; ok {
		return known.defined
	}
	return perhaps // by a header or on the command line
}

// value of a macro's name in an expression: 0 where it is undefined.
func (m *macros) value(name string, depth int) constant.Value {
	m.steps--
	known, ok := m.table[name]
	switch {
	case !ok, m.steps < 0, known.defined == perhaps:
		return unknown
	case known.defined == never:
		return constant.MakeInt64(0)
	}
	v, _ := m.evaluate(known.body, depth+1)
	return v
}

// typeWords are the words that a type's name consists of.
var typeWords = map[string]bool{"int": true, "long": true, "unsigned": true, "signed": true, "short": true, "char": true,
	"double": true, "float": true, "void": true, "size_t": true, "VALUE": true, "ID": true, "uintptr_t": true, "intptr_t": true,
	"uint32_t": true, "int32_t": true, "uint64_t": true, "int64_t": true, "*": true}

// typeLength returns how many tokens at the start are a type's name.
func typeLength(list []token) int {
	n := 0
	for n < len(list) && typeWords[list[n].text] && (n > 0 || list[n].kind == word) {
		n++
	}
	return n
}

// sizeOf a type in bytes, 0 when it is not known here.
func sizeOf(name string, wordBytes int) int {
	switch name {
	case "VALUE", "ID", "long", "unsigned long", "size_t", "uintptr_t", "intptr_t", "void *", "char *", "VALUE *":
		return wordBytes
	case "long long", "unsigned long long", "double", "uint64_t", "int64_t", "LONG_LONG":
		return 8
	case "int", "unsigned int", "unsigned", "float", "uint32_t", "int32_t":
		return 4
	case "short", "unsigned short":
		return 2
	case "char", "unsigned char":
		return 1
	}
	return 0
}
