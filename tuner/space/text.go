package space

import (
	"fmt"
	"slices"
)

// The words for kinds and scales, in the order of their constants. They stand in
// stored studies.
var (
	kindWords  = []string{"int", "float", "choice"}
	scaleWords = []string{"linear", "log"}
)

// MarshalText writes the kind as a word.
func (k Kind) MarshalText() ([]byte, error) { return word(kindWords, int(k), "kind") }

// UnmarshalText reads the word.
func (k *Kind) UnmarshalText(text []byte) error {
	i, err := position(kindWords, string(text), "kind")
	*k = Kind(i)
	return err
}

// MarshalText writes the scale as a word.
func (s Scale) MarshalText() ([]byte, error) { return word(scaleWords, int(s), "scale") }

// UnmarshalText reads the word.
func (s *Scale) UnmarshalText(text []byte) error {
	i, err := position(scaleWords, string(text), "scale")
	*s = Scale(i)
	return err
}

func word(words []string, i int, what string) ([]byte, error) {
	if i < 0 || i >= len(words) {
		return nil, fmt.Errorf("unknown %s %d", what, i)
	}
	return []byte(words[i]), nil
}

func position(words []string, text, what string) (int, error) {
	if i := slices.Index(words, text); i >= 0 {
		return i, nil
	}
	return 0, fmt.Errorf("unknown %s %q", what, text)
}
