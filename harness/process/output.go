package process

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"sync"
)

// keep is how many bytes of each end of an output are kept.
const keep = 1 << 20

// output drains what a tree prints. A tree that prints without end must neither
// block nor fill the disk, and both its first words (versions, settings) and its
// last ones (why it died) matter.
type output struct {
	mu      sync.Mutex
	file    *os.File // nil: nothing is kept on disk
	fileErr error
	head    int64 // bytes written to file
	total   int64
	tail    []byte // the last bytes, between keep and 2*keep of a long output
	drained chan struct{}
}

func newOutput(path string) (*output, error) {
	o := &output{drained: make(chan struct{})}
	if path == "" {
		return o, nil
	}
	file, err := os.Create(path)
	if err != nil {
		return nil, fmt.Errorf("cannot keep the output of the command: %w", err)
	}
	o.file = file
	return o, nil
}

// drain reads until every process has closed its end.
func (o *output) drain(from *os.File) {
	defer close(o.drained)
	defer from.Close()
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		o.add(buffer[:n])
		if err != nil {
			return
		}
	}
}

func (o *output) add(text []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.total += int64(len(text))
	o.write(text[:min(int64(len(text)), keep-o.head)])
	o.tail = append(o.tail, text...)
	if len(o.tail) > 2*keep {
		o.tail = append(o.tail[:0], o.tail[len(o.tail)-keep:]...)
	}
}

// write appends to the file's head. A full disk must not stop the draining, so
// the first error is kept for finish.
func (o *output) write(text []byte) {
	o.head += int64(len(text))
	if o.file == nil || o.fileErr != nil {
		return
	}
	_, o.fileErr = o.file.Write(text)
}

// finish writes the end of a long output, with a note of what was left out.
func (o *output) finish() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.file == nil {
		return nil
	}
	rest := min(o.total-o.head, keep)
	if left := o.total - o.head - rest; left > 0 && o.fileErr == nil {
		_, o.fileErr = fmt.Fprintf(o.file, "\n[gctune left out %d bytes here]\n", left)
	}
	if o.fileErr == nil {
		_, o.fileErr = o.file.Write(o.tail[int64(len(o.tail))-rest:])
	}
	err := o.fileErr
	if closing := o.file.Close(); err == nil {
		err = closing
	}
	o.file = nil
	if err != nil {
		return fmt.Errorf("the output of the command was not kept in full: %w", err)
	}
	return nil
}

// lines returns the last n lines.
func (o *output) lines(n int) []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	text := bytes.TrimRight(o.tail, "\n")
	if n <= 0 || len(text) == 0 {
		return nil
	}
	at := len(text)
	for range n {
		if at = bytes.LastIndexByte(text[:at], '\n'); at < 0 {
			break
		}
	}
	return strings.Split(string(text[at+1:]), "\n")
}
