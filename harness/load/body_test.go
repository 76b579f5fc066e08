package load_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"testing"
	"testing/iotest"

	"github.com/gctune/gctune/harness/load"
)

// pieces hands a body out in reads of random sizes.
type pieces struct {
	rest []byte
	rng  *rand.Rand
}

func (p *pieces) Read(b []byte) (int, error) {
	if len(p.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(b, p.rest[:min(len(p.rest), p.rng.IntN(40_000))])
	p.rest = p.rest[n:]
	return n, nil
}

func TestContainsAcrossReads(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for round := range 150 {
		// Two letters only, so that near misses abound.
		body := make([]byte, rng.IntN(100_000))
		for i := range body {
			body[i] = "ab"[rng.IntN(2)]
		}
		text := make([]byte, 1+rng.IntN(24))
		for i := range text {
			text[i] = "ab"[rng.IntN(2)]
		}
		length, found, _, err := load.Drain(&pieces{body, rng}, text, []byte("c"), nil)
		if err != nil || length != int64(len(body)) {
			t.Fatalf("round %d: read %d bytes of %d, %v", round, length, len(body), err)
		}
		if want := bytes.Contains(body, text); found[0] != want || found[1] || !found[2] {
			t.Fatalf("round %d: found %v, want [%v false true]", round, found, want)
		}
	}
}

func TestContainsLongText(t *testing.T) {
	text := bytes.Repeat([]byte("0123456789"), 20_000)
	body := append(append([]byte("x"), text...), 'y')
	_, found, _, err := load.Drain(iotest.HalfReader(bytes.NewReader(body)), text)
	if err != nil || !found[0] {
		t.Errorf("a text longer than the buffer: found %v, %v", found, err)
	}
	body[150_000]++
	if _, found, _, _ = load.Drain(iotest.DataErrReader(bytes.NewReader(body)), text); found[0] {
		t.Error("found a text that differs in one byte")
	}
}

func TestBodyMemoryIsBounded(t *testing.T) {
	const size = 256 << 20
	var zeros zeroes
	length, found, held, err := load.Drain(io.LimitReader(zeros, size), []byte("needle"))
	if length != size || found[0] || err != nil {
		t.Errorf("read %d, found %v, %v", length, found, err)
	}
	if held > 64<<10 {
		t.Errorf("a body of %d bytes held %d bytes of memory", size, held)
	}
	broken := errors.New("broken")
	if _, _, _, err := load.Drain(io.MultiReader(io.LimitReader(zeros, 10), iotest.ErrReader(broken))); !errors.Is(err, broken) {
		t.Errorf("the error of a broken body is %v", err)
	}
}

type zeroes struct{}

func (zeroes) Read(p []byte) (int, error) { return len(p), nil }
