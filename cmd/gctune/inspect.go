package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"text/template"

	"mvdan.cc/sh/v3/shell"
)

// application is what init found out about a directory.
type application struct {
	name    string
	found   []string
	command []string
	rails   bool
	ready   string
	dir     string
}

// inspect looks for the files that say how an application is started.
func inspect(dir string) (*application, error) {
	full, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	app := &application{name: studyNameFrom(filepath.Base(full)), ready: "/", dir: full}
	lock := app.read("Gemfile.lock")
	app.rails = app.has("bin/rails") || app.has("config/application.rb") || regexp.MustCompile(`(?m)^    rails \(`).MatchString(lock)
	if app.rails && mentionsUp(app.read("config/routes.rb")) {
		app.ready = "/up"
	}
	app.command = app.serverCommand(lock)
	if app.command == nil {
		return nil, usagef("%s does not look like a web application: there is neither a config.ru nor a web line in a Procfile. A test suite or a job run is measured by `batch`, and your own measuring program by `external`: write gctune.yaml by hand for these, as `docs/configuration.md` shows", dir)
	}
	return app, nil
}

var notInNames = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

func studyNameFrom(base string) string {
	name := strings.Trim(notInNames.ReplaceAllString(base, "-"), "-._")
	if name == "" {
		return "app"
	}
	return name
}

func mentionsUp(routes string) bool {
	return strings.Contains(routes, "rails/health#show") || regexp.MustCompile(`["']/?up["']`).MatchString(routes)
}

func (a *application) has(name string) bool {
	_, err := os.Stat(filepath.Join(a.dir, name))
	if err == nil {
		a.found = append(a.found, name)
	}
	return err == nil
}

func (a *application) read(name string) string {
	text, err := os.ReadFile(filepath.Join(a.dir, name))
	if err != nil {
		return ""
	}
	a.found = append(a.found, name)
	return string(text)
}

// serverCommand prefers what the deployment uses: the Procfile's web line, then
// the server that is configured or bundled.
func (a *application) serverCommand(lock string) []string {
	if web := a.procfileWeb(); web != nil {
		return web
	}
	if !a.has("config.ru") {
		return nil
	}
	var command []string
	if lock != "" {
		command = []string{"bundle", "exec"}
	}
	switch {
	case a.has("config/puma.rb"), strings.Contains(lock, " puma ("):
		return append(command, "puma", "-b", "tcp://127.0.0.1:{port}")
	case a.has("config/unicorn.rb"):
		return append(command, "unicorn", "-l", "127.0.0.1:{port}", "-c", "config/unicorn.rb")
	case strings.Contains(lock, " unicorn ("):
		return append(command, "unicorn", "-l", "127.0.0.1:{port}")
	case lock == "" && onPath("puma"):
		return []string{"puma", "-b", "tcp://127.0.0.1:{port}"}
	}
	return append(command, "rackup", "-o", "127.0.0.1", "-p", "{port}")
}

func onPath(name string) bool {
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && !info.IsDir() {
			return true
		}
	}
	return false
}

var webLine = regexp.MustCompile(`(?m)^web:\s*(.+)$`)

// procfileWeb is the web line as words, if it can do without a shell and says
// where the port goes. The port is the only variable that is known here.
func (a *application) procfileWeb() []string {
	m := webLine.FindStringSubmatch(a.read("Procfile"))
	if m == nil {
		return nil
	}
	known := true
	words, err := shell.Fields(m[1], func(name string) string {
		switch name {
		case "PORT":
			return "{port}"
		case "PWD":
			return a.dir
		case "IFS": // asked for by the splitting itself
			return ""
		}
		known = false
		return ""
	})
	if err != nil || !known || !strings.Contains(strings.Join(words, " "), "{port}") || strings.Contains(words[0], "=") {
		return nil
	}
	return words
}

var configurationTemplate = template.Must(template.New("gctune.yaml").Funcs(template.FuncMap{"quote": quoteYAML}).Parse(`# What gctune measures. Every key is explained in docs/configuration.md.
study: {{.Name}}

# The interpreter to tune: a path, or a name on PATH.
ruby: ruby

server:
  # How the server is started. No shell is involved; {port} is a free port.
  command: [{{range $i, $word := .Command}}{{if $i}}, {{end}}{{quote $word}}{{end}}]
  dir: {{quote .Dir}}{{if .Rails}}
  # Measure what production runs. Add what your application needs to start,
  # such as SECRET_KEY_BASE or DATABASE_URL.
  env: {RAILS_ENV: production, RAILS_LOG_TO_STDOUT: "1"}{{else}}
  env: {RACK_ENV: production}{{end}}
  # The server is ready when this page answers with this status.
  ready: {path: {{.Ready}}, status: 200, timeout: 60s}
  stop: {signal: TERM, grace: 10s}

load:
  # What your users do most, with weights as in production. An answer counts
  # only with the expected status (200 if nothing is said).
  requests:
    - GET /
    # - {method: GET, path: /articles, weight: 5, expect: {contains: "</html>"}}
  # headers: {Host: www.example.com}
  concurrency: 1
  warmup: auto
  measure: auto

# A setting that breaks one of these is never recommended.
# constraints: [memory <= 512MB, latency_p99_seconds <= 300ms]
`))

// configurationAt is the text of a configuration file at a path: directories in
// it are taken from the file's own.
func (a *application) configurationAt(path string) (string, error) {
	full, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	dir := "."
	if filepath.Dir(full) != a.dir {
		dir = a.dir
	}
	var text bytes.Buffer
	_ = configurationTemplate.Execute(&text, map[string]any{ // writing to memory does not fail
		"Name": a.name, "Command": a.command, "Rails": a.rails, "Ready": a.ready, "Dir": dir,
	})
	return text.String(), nil
}

var plainYAML = regexp.MustCompile(`^-{0,2}[A-Za-z./][A-Za-z0-9./_-]*$`)

func quoteYAML(word string) string {
	if plainYAML.MatchString(word) {
		return word
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(word) + `"`
}
