package custos

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

type arguments struct {
	Path   string   `json:"path"`
	Lines  []string `json:"lines,omitempty"`
	Hidden string   `json:"-"`
}

// governed is a service that answers questions with a decision about them, and keeps what is reported.
type governed struct {
	mutex  sync.Mutex
	change func(decision map[string]any)
	asked  int
	// approvalID is the one of the last question.
	approvalID string
	reported   []map[string]any
}

func (g *governed) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body map[string]any
	_ = json.NewDecoder(r.Body).Decode(&body)
	g.mutex.Lock()
	defer g.mutex.Unlock()
	if r.URL.Path != "/v1/enforce" {
		g.reported = append(g.reported, body)
		w.WriteHeader(202)
		fmt.Fprint(w, `{"signalIds":["s"]}`)
		return
	}
	g.asked++
	g.approvalID, _ = body["approval_id"].(string)
	tool := body["tool"].(map[string]any)
	decision := map[string]any{
		"decision_id": "dec_1", "request_id": r.Header.Get("X-Request-Id"), "agent_id": body["agent_id"], "verdict": "ALLOW", "allowed": true,
		"reasons": []any{}, "obligations": []any{}, "evaluated_at": "2020-01-01T00:00:00.000Z", "expires_at": "2020-01-01T01:00:00.000Z",
		"tool": map[string]any{"server": tool["server"], "name": tool["name"], "arguments_digest": digestOf(tool["arguments"]), "known": true, "changed": false},
	}
	g.change(decision)
	_ = json.NewEncoder(w).Encode(decision)
}

var guarded = GuardOptions{AgentID: "agent", Server: "files", Name: "write", Wait: -1, ReportSignals: true}

// call runs a guarded function against a service, and returns how often it ran and what was reported.
func call(t *testing.T, change func(map[string]any), args arguments, handlers ...ObligationHandler[arguments, string]) (result string, ran int, service *governed, err error) {
	t.Helper()
	service = &governed{change: change}
	client, _ := start(t, service.ServeHTTP)
	function := func(_ context.Context, got arguments, _ *Decision) (string, error) {
		ran++
		return "wrote " + got.Path + got.Hidden, nil
	}
	result, err = Guard(client, guarded, function, handlers...)(context.Background(), args)
	if err := client.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	return result, ran, service, err
}

func TestGuardRunsOnceWithTheJudgedArgumentsAndReports(t *testing.T) {
	result, ran, service, err := call(t, func(map[string]any) {}, arguments{Path: "/a", Hidden: "not judged"})
	if err != nil || ran != 1 || result != "wrote /a" {
		t.Fatalf("%q, ran %d times: %v", result, ran, err)
	}
	if len(service.reported) != 2 {
		t.Fatalf("reported: %v", service.reported)
	}
	for _, report := range service.reported {
		text, _ := json.Marshal(report)
		if strings.Contains(string(text), "/a") || !strings.Contains(string(text), "dec_1") {
			t.Errorf("the report %s has more than digests, or no decision", text)
		}
	}
}

func TestGuardActsOnlyOnADecisionAboutItsQuestion(t *testing.T) {
	tool := func(member string, value any) func(map[string]any) {
		return func(d map[string]any) { d["tool"].(map[string]any)[member] = value }
	}
	set := func(member string, value any) func(map[string]any) {
		return func(d map[string]any) { d[member] = value }
	}
	for name, change := range map[string]func(map[string]any){
		"another agent":              set("agent_id", "other"),
		"another tool":               tool("name", "read"),
		"another server":             tool("server", "other"),
		"other arguments":            tool("arguments_digest", "sha256:00"),
		"another request":            set("request_id", "another"),
		"no request":                 func(d map[string]any) { delete(d, "request_id") },
		"a dry run":                  set("dry_run", false),
		"no id":                      func(d map[string]any) { delete(d, "decision_id") },
		"allowed without a verdict":  set("verdict", "MAYBE"),
		"ALLOW that does not allow":  set("allowed", false),
		"DENY that allows":           set("verdict", "DENY"),
		"ESCALATE that allows":       set("verdict", "ESCALATE"),
		"DEGRADE without obligation": set("verdict", "DEGRADE"),
		"obligations of no type":     set("obligations", []any{map[string]any{"type": ""}}),
		"no obligations":             func(d map[string]any) { delete(d, "obligations") },
		"allowed as a text":          set("allowed", "true"),
		"no expiry":                  func(d map[string]any) { delete(d, "expires_at") },
		"no time of its evaluation":  func(d map[string]any) { delete(d, "evaluated_at") },
		"an expiry that is no time":  set("expires_at", "soon"),
		"an expiry before its time":  set("expires_at", "2019-01-01T00:00:00.000Z"),
	} {
		t.Run(name, func(t *testing.T) {
			_, ran, service, err := call(t, change, arguments{Path: "/a"})
			var refused *RefusedError
			if !errors.As(err, &refused) || refused.Verdict != "" || refused.Cause == nil || ran != 0 {
				t.Errorf("ran %d times: %#v", ran, err)
			}
			if service.asked != 2 || len(service.reported) != 0 {
				t.Errorf("asked %d times, reported %v", service.asked, service.reported)
			}
		})
	}
}

func TestGuardKeepsObligationsOrRefuses(t *testing.T) {
	degrade := func(d map[string]any) {
		d["verdict"] = "DEGRADE"
		d["obligations"] = []any{map[string]any{"type": "max_rows", "limit": 2}, map[string]any{"type": "redact_fields"}}
	}
	type terms = Terms[arguments, string]
	limit := Keep("max_rows", func(_ context.Context, o Obligation, args arguments) (terms, error) {
		changed := arguments{Path: fmt.Sprint(args.Path, "?limit=", o.More["limit"])}
		return terms{Arguments: &changed}, nil
	})
	redact := Keep("redact_fields", func(context.Context, Obligation, arguments) (terms, error) {
		return terms{Result: func(result string) (string, error) { return strings.ToUpper(result), nil }}, nil
	})
	fail := Keep("redact_fields", func(context.Context, Obligation, arguments) (terms, error) {
		return terms{}, errors.New("can not be kept")
	})
	result, ran, _, err := call(t, degrade, arguments{Path: "/a"}, limit, redact)
	if err != nil || ran != 1 || result != "WROTE /A?LIMIT=2" {
		t.Errorf("%q, ran %d times: %v", result, ran, err)
	}
	for _, handlers := range [][]ObligationHandler[arguments, string]{{limit}, {limit, fail}} {
		_, ran, service, err := call(t, degrade, arguments{Path: "/a"}, handlers...)
		var refused *RefusedError
		if !errors.As(err, &refused) || refused.Verdict != VerdictDegrade || ran != 0 {
			t.Errorf("ran %d times: %v", ran, err)
		}
		if len(service.reported) != 1 || service.reported[0]["event"] != "tool.not_called" {
			t.Errorf("reported: %v", service.reported)
		}
	}
}

func TestGuardRefusesArgumentsThatJSONCanNotCarry(t *testing.T) {
	client, service := start(t, reset)
	run := func(_ context.Context, _ any, _ *Decision) (string, error) {
		t.Error("it ran")
		return "", nil
	}
	large := map[string]any{"text": strings.Repeat("a", maxArgumentsBytes)}
	for _, args := range []any{make(chan int), []int{1}, nil, map[string]any{"n": int64(1) << 60}, large, func() {}} {
		_, err := Guard(client, guarded, run)(context.Background(), args)
		var refused *RefusedError
		if !errors.As(err, &refused) || len(service.seen()) > 0 {
			t.Errorf("%T: %v", args, err)
		}
	}
}

func TestGuardPassesErrorsAndPanicsOfTheFunctionOn(t *testing.T) {
	service := &governed{change: func(map[string]any) {}}
	client, _ := start(t, service.ServeHTTP)
	own := errors.New("own")
	fails := Guard(client, guarded, func(context.Context, arguments, *Decision) (string, error) { return "", own })
	if _, err := fails(context.Background(), arguments{}); err != own {
		t.Errorf("the error is %v", err)
	}
	panics := Guard(client, guarded, func(context.Context, arguments, *Decision) (string, error) { panic(own) })
	func() {
		defer func() {
			if recover() != own {
				t.Error("the panic was swallowed")
			}
		}()
		_, _ = panics(context.Background(), arguments{})
	}()
	if err := client.Flush(context.Background()); err != nil || len(service.reported) != 4 {
		t.Errorf("reported %v: %v", service.reported, err)
	}
}

// A panic goes on, because the caller may rely on that; an unrecovered one is printed with all values that it had.
func TestGuardWithholdsWhatPanicsWhenTheResultHasToBeRedacted(t *testing.T) {
	type terms = Terms[arguments, string]
	panics := func() { panic("no row of ada") }
	for name, c := range map[string]struct {
		function, onResult func()
		goesOn             bool
	}{
		"of a function":           {panics, func() {}, true},
		"of a function, with nil": {func() { panic(nil) }, func() {}, true},
		"of a handler":            {func() {}, panics, true},
		"Goexit of a function":    {runtime.Goexit, func() {}, false},
	} {
		t.Run(name, func(t *testing.T) {
			service := &governed{change: degraded}
			client, _ := start(t, service.ServeHTTP)
			keep := Keep("redact_fields", func(context.Context, Obligation, arguments) (terms, error) {
				return terms{Result: func(result string) (string, error) { c.onResult(); return result, nil }}, nil
			})
			function := func(context.Context, arguments, *Decision) (string, error) { c.function(); return "done", nil }
			recovered := make(chan any, 1)
			go func() {
				defer func() { recovered <- recover() }()
				_, _ = Guard(client, guarded, function, keep)(context.Background(), arguments{})
			}()
			refused, isRefused := (<-recovered).(*RefusedError)
			if isRefused != c.goesOn {
				t.Fatalf("it goes on with a RefusedError: %v", isRefused)
			}
			if isRefused && (!refused.HasRun || strings.Contains(fmt.Sprintf("%+v", *refused), "ada")) {
				t.Errorf("it shows %+v", *refused)
			}
			if err := client.Flush(context.Background()); err != nil || len(service.reported) != 2 {
				t.Errorf("reported %v: %v", service.reported, err)
			}
		})
	}
}

func TestGuardReportsACallThatAHandlerPreventsByAPanic(t *testing.T) {
	service := &governed{change: degraded}
	client, _ := start(t, service.ServeHTTP)
	keep := Keep("redact_fields", func(context.Context, Obligation, arguments) (Terms[arguments, string], error) { panic("own") })
	function := func(context.Context, arguments, *Decision) (string, error) { t.Error("it ran"); return "", nil }
	func() {
		defer func() {
			if recover() != "own" {
				t.Error("the panic was swallowed")
			}
		}()
		_, _ = Guard(client, guarded, function, keep)(context.Background(), arguments{})
	}()
	if err := client.Flush(context.Background()); err != nil || len(service.reported) != 1 || service.reported[0]["event"] != "tool.not_called" {
		t.Errorf("reported %v: %v", service.reported, err)
	}
}

func TestGuardTellsOfReportsThatAreLostAndStaysSilentForTheCaller(t *testing.T) {
	service := &governed{change: func(map[string]any) {}}
	handler := func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/enforce" {
			service.ServeHTTP(w, r)
			return
		}
		reply(403, problem(403, "E1004", false))(w, r)
	}
	client, _ := start(t, handler)
	options := guarded
	lost := make(chan error, 2)
	options.OnReportError = func(err error) { lost <- err }
	write := Guard(client, options, func(context.Context, arguments, *Decision) (string, error) { return "done", nil })
	if result, err := write(context.Background(), arguments{}); err != nil || result != "done" {
		t.Fatal(result, err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if err := client.Flush(ctx); err != nil || len(lost) != 2 {
		t.Errorf("%d reports were lost: %v", len(lost), err)
	}
}

func TestDefinitionDigestIsOfTheMembersThatJSONHas(t *testing.T) {
	type tagged struct {
		Name        string `json:"name"`
		Description string `json:"description,omitempty"`
	}
	got, err := DefinitionDigest(tagged{Name: "a"})
	want, wantErr := DefinitionDigest(json.RawMessage(`{"name":"a"}`))
	if err != nil || wantErr != nil || got != want {
		t.Errorf("%s and %s: %v, %v", got, want, err, wantErr)
	}
	if digest, err := DefinitionDigest(struct{ Name, Description string }{"a", "b"}); err == nil {
		t.Errorf("a struct without tags has the digest %s", digest)
	}
}
