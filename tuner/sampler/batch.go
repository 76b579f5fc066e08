package sampler

import (
	"errors"
	"slices"

	"github.com/gctune/gctune/tuner/space"
)

// Ask proposes k settings to be measured at the same time. Each is proposed as if
// those before it were being measured. Where fewer than k are left, it returns
// them; ErrExhausted only where none is.
func Ask(s Sampler, r Request, k int) ([]space.Setting, error) {
	r.History = slices.Clone(r.History)
	var settings []space.Setting
	for range k {
		setting, err := s.Propose(r)
		if errors.Is(err, ErrExhausted) && len(settings) > 0 {
			return settings, nil
		}
		if err != nil {
			return nil, err
		}
		settings = append(settings, setting)
		r.History = append(r.History, Observation{Setting: setting, Pending: true})
	}
	return settings, nil
}
