package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"time"

	"github.com/gctune/gctune/tuner/sampler"
	"github.com/gctune/gctune/tuner/space"
)

// pythonProcess answers questions line by line.
type pythonProcess struct {
	command *exec.Cmd
	in      io.WriteCloser
	encoder *json.Encoder
	decoder *json.Decoder
}

func startPython(python string) (*pythonProcess, error) {
	command := exec.Command(python, "-W", "ignore", "-c", optunaScript)
	command.Stderr = os.Stderr
	in, err := command.StdinPipe()
	if err != nil {
		return nil, startError(python, err)
	}
	out, err := command.StdoutPipe()
	if err != nil {
		return nil, startError(python, err)
	}
	if err := command.Start(); err != nil {
		return nil, startError(python, err)
	}
	return &pythonProcess{command: command, in: in, encoder: json.NewEncoder(in), decoder: json.NewDecoder(out)}, nil
}

// close ends the process by ending its input.
func (p *pythonProcess) close() error {
	if err := p.in.Close(); err != nil {
		return err
	}
	return p.command.Wait()
}

// The messages; optuna.py tells what they mean.
type beginMessage struct {
	Sampler    string             `json:"sampler"`
	Seed       uint64             `json:"seed"`
	Reference  []float64          `json:"reference"`
	Parameters []parameterMessage `json:"parameters"`
}

type parameterMessage struct {
	Name   string   `json:"name"`
	Kind   string   `json:"kind"`
	Log    bool     `json:"log"`
	Low    float64  `json:"low"`
	High   float64  `json:"high"`
	Values []string `json:"values"`
}

type outcomeMessage struct {
	Losses     []float64 `json:"losses"`
	Infeasible bool      `json:"infeasible"`
}

type proposalMessage struct {
	Setting map[string]any `json:"setting"`
	CPU     float64        `json:"cpu"`
}

// conversation is one search by Optuna. Unlike other samplers it has a memory:
// it has to be asked for each trial of a search, in their order.
type conversation struct {
	process *pythonProcess
	sampler string
	told    bool // whether it hears the reference point
	costs   []time.Duration
}

func (c *conversation) Name() string { return "optuna-" + c.sampler }

func (c *conversation) Propose(r sampler.Request) (space.Setting, error) {
	if len(r.History) != len(c.costs) {
		return nil, fmt.Errorf("optuna is asked for trial %d after %d proposals", len(r.History), len(c.costs))
	}
	message, err := c.message(r)
	if err != nil {
		return nil, err
	}
	if err := c.process.encoder.Encode(message); err != nil {
		return nil, fmt.Errorf("ask optuna: %w", err)
	}
	var answer proposalMessage
	if err := c.process.decoder.Decode(&answer); err != nil {
		return nil, fmt.Errorf("hear from optuna: %w", err)
	}
	c.costs = append(c.costs, time.Duration(answer.CPU*float64(time.Second)))
	return canonical(r.Space, answer.Setting), nil
}

// message begins a study, or tells what came of the last proposal.
func (c *conversation) message(r sampler.Request) (any, error) {
	if n := len(r.History); n > 0 {
		return outcomeMessage{Losses: r.History[n-1].Losses, Infeasible: r.History[n-1].Infeasible}, nil
	}
	b := beginMessage{Sampler: c.sampler, Seed: r.Seed}
	if c.told {
		b.Reference = r.Reference
	}
	for _, p := range r.Space.Parameters() {
		if p.Above != "" {
			return nil, fmt.Errorf("optuna has no parameters that depend on others, as %s does", p.Name)
		}
		kind := map[space.Kind]string{space.Int: "int", space.Float: "float", space.Choice: "choice"}[p.Kind]
		b.Parameters = append(b.Parameters, parameterMessage{p.Name, kind, p.Scale == space.Log, p.Min, p.Max, p.Values})
	}
	return b, nil
}

// canonical is the setting with the digits that the space keeps.
func canonical(s space.Space, values map[string]any) space.Setting {
	setting := space.Setting{}
	for name, value := range values {
		switch v := value.(type) {
		case string:
			setting[name] = v
		case float64:
			setting[name] = strconv.FormatFloat(v, 'f', -1, 64)
		}
	}
	return s.Decode(s.Encode(setting))
}
