package source

import (
	"bytes"
	"fmt"
	"maps"
	"slices"

	"github.com/aymanbagabas/go-udiff"
)

// Rewrite returns the file with the values in place and every other byte as it
// was. A value equal to the default leaves its place as written.
func (f *Found) Rewrite(values map[string]string) ([]byte, error) {
	if err := f.Check(values); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	from := 0
	for _, e := range f.edits(values) {
		out.Write(f.content[from:e.Start])
		out.WriteString(e.New)
		from = e.End
	}
	out.Write(f.content[from:])
	return out.Bytes(), f.verify(out.Bytes(), values)
}

// Patch returns a unified diff of what Rewrite changes, for patch -p1 in the
// original tree. It is empty when nothing changes.
func (f *Found) Patch(values map[string]string) ([]byte, error) {
	if _, err := f.Rewrite(values); err != nil {
		return nil, err
	}
	// The edits are known, so no difference needs to be searched for; a search
	// would also read old sources, which are not all UTF-8, as text.
	diff, err := udiff.ToUnified("a/"+f.File, "b/"+f.File, string(f.content), f.edits(values), udiff.DefaultContextLines)
	if err != nil {
		return nil, fmt.Errorf("write the patch of %s: %w", f.File, err)
	}
	return []byte(diff), nil
}

func (f *Found) edits(values map[string]string) []udiff.Edit {
	var edits []udiff.Edit
	for _, p := range f.Places {
		if value, ok := values[p.Parameter.Name]; ok && !same(value, p.Default) {
			edits = append(edits, udiff.Edit{Start: p.start, End: p.end, New: p.write(value)})
		}
	}
	slices.SortFunc(edits, func(a, b udiff.Edit) int { return a.Start - b.Start })
	return edits
}

// verify scans what was written: a branch that depends on a constant may turn
// out otherwise with the new value.
func (f *Found) verify(content []byte, values map[string]string) error {
	again, err := Parse(f.File, content, f.WordBits)
	if err != nil {
		return fmt.Errorf("check the edited %s: %w", f.File, err)
	}
	for _, name := range sorted(values) {
		if p, ok := again.Place(name); !ok || !same(p.Default, values[name]) {
			return &ValueError{name, values[name], fmt.Sprintf("%s with this value would not use it; edit the file by hand", f.File)}
		}
	}
	return nil
}

func sorted(values map[string]string) []string { return slices.Sorted(maps.Keys(values)) }
