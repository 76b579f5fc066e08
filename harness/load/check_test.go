package load_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gctune/gctune/harness/load"
)

// application is a server with what goes wrong at setting up.
func application(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/tls":
		http.Redirect(w, r, "https://app.test/tls", http.StatusMovedPermanently)
	case "/private":
		http.Redirect(w, r, "/users/sign_in", http.StatusFound)
	case "/old":
		http.Redirect(w, r, "/new", http.StatusSeeOther)
	case "/host":
		if r.Host != "app.test" {
			w.WriteHeader(http.StatusForbidden)
			fmt.Fprintf(w, "%s<h1>Blocked host: %s</h1>", strings.Repeat("<style>", 9000), r.Host)
		}
	case "/silent", "/denied":
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprint(w, map[string]string{"/denied": "no"}[r.URL.Path])
	case "/missing":
		w.WriteHeader(http.StatusNotFound)
	case "/broken":
		w.WriteHeader(http.StatusInternalServerError)
	case "/cut":
		w.Header().Set("Content-Length", "9")
	default:
		fmt.Fprint(w, "Welcome")
	}
}

func TestCheckNamesEachProblem(t *testing.T) {
	target := serve(t, http.HandlerFunc(application))
	for path, parts := range map[string][]string{
		"/tls":     {"GET /tls: 301 Moved Permanently", `"https://app.test/tls"`, "X-Forwarded-Proto"},
		"/private": {"302 Found", `"/users/sign_in"`, "Cookie"},
		"/old":     {"303 See Other", `"/new"`, "not followed"},
		"/host":    {"403 Forbidden", "load.headers.Host"},
		"/silent":  {"403 Forbidden", "load.headers.Host"},
		"/denied":  {"403 Forbidden", "credentials"},
		"/missing": {"404 Not Found", "check the path"},
		"/broken":  {"500 Internal Server Error", "server's output"},
		"/cut":     {"connection closed", "broke off"},
		"/hello":   {`does not contain "Wilkommen"`, "expect"},
	} {
		err := load.Check(context.Background(), load.Plan{Target: target, Requests: []load.Request{
			{Path: path, Expect: load.Expect{Contains: map[string]string{"/hello": "Wilkommen"}[path]}}}})
		var setup *load.SetupError
		if !errors.As(err, &setup) || !strings.HasPrefix(err.Error(), "GET "+path+": ") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", path, err)
			continue
		}
		for _, part := range parts {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%q lacks %q", err, part)
			}
		}
	}
}

func TestCheckSendsEachRequestOnce(t *testing.T) {
	var j journal
	target := serve(t, &j)
	plan := load.Plan{Target: target, Requests: []load.Request{{Path: "/a", Weight: 50}, {Path: "/b"}}}
	if err := load.Check(context.Background(), plan); err != nil || len(j.read()) != 2 {
		t.Errorf("%v", err)
	}
	plan = load.Plan{
		Target:   serve(t, http.HandlerFunc(application)),
		Headers:  map[string]string{"Host": "app.test"},
		Requests: []load.Request{{Path: "/host"}, {Path: "/old"}, {Path: "/missing"}, {Path: "/old", Expect: load.Expect{Status: 303}}},
	}
	err := load.Check(context.Background(), plan)
	if err == nil || strings.Count(err.Error(), "\n") != 1 {
		t.Errorf("want the two wrong ones of four requests, one a line:\n%v", err)
	}
}

func TestCheckWithoutServer(t *testing.T) {
	plan := load.Plan{Target: nowhere(t), Requests: []load.Request{{Path: "/a"}, {Path: "/b"}}}
	err := load.Check(context.Background(), plan)
	if err == nil || !strings.Contains(err.Error(), "GET /a: connection refused at 127.0.0.1:") || strings.Contains(err.Error(), "/b") {
		t.Errorf("%v", err)
	}
	if err := load.Check(context.Background(), load.Plan{}); !errors.Is(err, load.ErrPlan) {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := load.Check(ctx, plan); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestGet(t *testing.T) {
	target := serve(t, http.HandlerFunc(application))
	for path, class := range map[string]load.Class{"/up": load.Expected, "/broken": load.HTTPError} {
		o, err := load.Get(context.Background(), target, load.Request{Path: path}, time.Minute)
		if err != nil || o.Class != class {
			t.Errorf("%s: %+v, %v", path, o, err)
		}
	}
	o, err := load.Get(context.Background(), nowhere(t), load.Request{Path: "/up"}, time.Minute)
	if err != nil || o.Class != load.ConnectionError {
		t.Errorf("%+v, %v", o, err)
	}
	o, err = load.Get(context.Background(), rawServer(t, hang), load.Request{Path: "/up"}, 50*time.Millisecond)
	if err != nil || !o.TimedOut {
		t.Errorf("%+v, %v", o, err)
	}
}
