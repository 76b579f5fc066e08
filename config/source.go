package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
)

// completeSources fills in the sources' directories and checks the variants.
func (c *Config) completeSources() error {
	if c.Source != nil {
		if c.RubyGiven {
			return fault(c.At("source"), "ruby and source exclude each other: the interpreter is found, or built")
		}
		if err := c.completeSource(c.Source, "source"); err != nil {
			return err
		}
		if c.External != nil {
			return fault(c.At("source"), "source goes with server or batch, not with external")
		}
	}
	if c.Compare == nil {
		return nil
	}
	if c.Server == nil {
		return fault(c.At("compare"), "compare needs server and load: it measures pages")
	}
	if len(c.Compare.Variants) == 0 {
		return fault(c.At("compare"), "compare.variants is missing: interpreters, with or without a setting")
	}
	if c.Compare.Rounds == 0 && c.written("compare.rounds") {
		return fault(c.At("compare.rounds"), "compare.rounds is 0: at least 1 is needed")
	}
	setDefault(&c.Compare.Rounds, 6)
	return c.completeVariants()
}

func (c *Config) completeSource(s *Source, at string) error {
	if s.Dir == "" {
		return fault(c.At(at), "%s.dir is missing: the interpreter's source tree", at)
	}
	s.Dir = c.resolve(s.Dir)
	return nil
}

func (c *Config) completeVariants() error {
	names := map[Text]bool{}
	for i := range c.Compare.Variants {
		v, at := &c.Compare.Variants[i], fmt.Sprintf("compare.variants[%d]", i)
		switch {
		case v.Name == "":
			return fault(c.At(at), "the variant has no name")
		case strings.ContainsFunc(string(v.Name), func(r rune) bool { return !unicode.IsPrint(r) }):
			return fault(c.At(at+".name"), "a variant's name must be one line of printable characters, not %q", v.Name)
		case names[v.Name]:
			return fault(c.At(at), "there are two variants named %q", v.Name)
		case (v.Ruby == "") == (v.Source == nil):
			return fault(c.At(at), "variant %q needs either ruby or source", v.Name)
		}
		names[v.Name] = true
		if err := c.checkPublished(v, at); err != nil {
			return err
		}
		if v.Source != nil {
			if err := c.completeSource(v.Source, at+".source"); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkPublished refuses figures for a page that is not measured: they would
// stand beside nothing.
func (c *Config) checkPublished(v *Variant, at string) error {
	var pages []string
	for _, r := range c.Load.Requests {
		pages = append(pages, r.Page())
	}
	for _, page := range slices.Sorted(maps.Keys(v.Published)) {
		if slices.Contains(pages, page) {
			continue
		}
		hint := ""
		if near := Nearest(page, pages); near != "" {
			hint = fmt.Sprintf("did you mean %q? ", near)
		}
		return fault(c.At(at+".published"), "published has figures for %q, which is none of load.requests: %sthere are %s", page, hint, strings.Join(pages, ", "))
	}
	return nil
}

// Page is what a request is called in tables.
func (r Request) Page() string { return fmt.Sprintf("%s %s", r.Method, r.Path) }
