package config

import "strings"

// check sees that the entries are complete in form. Whether the interpreter
// knows them is another room's business.
func (p Parameters) check(at Position, external bool) error {
	if len(p) == 0 {
		return fault(at, "search.parameters is empty: there is nothing to search; leave it out to search all that matter")
	}
	for _, r := range p {
		if err := r.check(external); err != nil {
			return err
		}
	}
	return nil
}

func (r Range) check(external bool) error {
	if r.Name == "GCTUNE_RUN" || r.Name == "GCTUNE_SETTING" {
		return fault(r.At, "%s is gctune's own variable: call the parameter something else", r.Name)
	}
	for _, literal := range append([]Literal{r.Default}, r.Values...) {
		if strings.ContainsAny(literal.Text, "\x00\n\r") {
			return fault(literal.At, "%s: %q cannot be the value of an environment variable", r.Name, literal.Text)
		}
	}
	if !oneOf(r.Scale, "", "linear", "log") {
		return fault(r.At, "%s: scale is linear or log, not %q", r.Name, r.Scale)
	}
	if !oneOf(r.Type, "", "int", "float") {
		return fault(r.At, "%s: type is int or float, not %q", r.Name, r.Type)
	}
	ranged := r.Min.Text != "" || r.Max.Text != ""
	switch {
	case r.Values != nil && (ranged || r.Scale != "" || r.Type != ""):
		return fault(r.At, "%s: values stand alone, without min, max, scale or type", r.Name)
	case r.Values != nil && len(r.Values) == 0:
		return fault(r.At, "%s: values is empty", r.Name)
	case external && r.Values == nil && (r.Min.Text == "" || r.Max.Text == ""):
		return fault(r.At, "%s needs min and max, or values", r.Name)
	}
	return nil
}

func oneOf(text Text, allowed ...Text) bool {
	for _, a := range allowed {
		if text == a {
			return true
		}
	}
	return false
}
