package process

import "bytes"

// parseEnviron reads an environment area. Ruby writes a title over it that is
// longer than the arguments, and fills the rest with NUL bytes: so there are
// entries that are empty or no variable. A shorter title leaves it as it was.
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
