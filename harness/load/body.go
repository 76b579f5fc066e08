package load

import (
	"bytes"
	"io"
)

// window is the least memory that a body passes through.
const window = 32 << 10

// drain reads a body to its end, through buf alone however long it is, and
// reports its length and whether each text occurred in it. The texts may lie
// across any boundary between reads. It returns the buffer, which grows when
// a text is too long for it.
func drain(body io.Reader, buf []byte, texts ...[]byte) (length int64, found []bool, _ []byte, err error) {
	found = make([]bool, len(texts))
	overlap := 0
	for i, t := range texts {
		found[i] = len(t) == 0
		overlap = max(overlap, len(t)-1)
	}
	if need := overlap + window; len(buf) < need {
		buf = make([]byte, need)
	}
	// The first `kept` bytes of buf are the end of what was read before: as
	// many as a text can reach back.
	kept := 0
	for {
		n, err := body.Read(buf[kept:])
		length += int64(n)
		seen := buf[:kept+n]
		look(seen, texts, found)
		kept = copy(buf, seen[max(0, len(seen)-overlap):])
		if err == io.EOF {
			return length, found, buf, nil
		}
		if err != nil {
			return length, found, buf, err
		}
	}
}

func look(seen []byte, texts [][]byte, found []bool) {
	for i, t := range texts {
		if !found[i] {
			found[i] = bytes.Contains(seen, t)
		}
	}
}
