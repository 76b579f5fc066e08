package process

import "bytes"

// parseEnviron reads an environment area. A title written over it shows: it
// leaves blanks of NUL bytes, or begins with text that is no variable.
func parseEnviron(area []byte) (map[string]string, error) {
	variables := map[string]string{}
	for entry := range bytes.SplitSeq(bytes.TrimSuffix(area, []byte{0}), []byte{0}) {
		if len(area) == 0 {
			break
		}
		name, value, found := bytes.Cut(entry, []byte{'='})
		if !found || len(name) == 0 {
			return nil, ErrEnvironOverwritten
		}
		// As getenv does, the first of two entries counts.
		if _, twice := variables[string(name)]; !twice {
			variables[string(name)] = string(value)
		}
	}
	return variables, nil
}
