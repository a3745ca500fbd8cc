package custos

import (
	"context"
	"errors"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"
)

// degraded makes a decision of a service one with an obligation.
func degraded(d map[string]any) {
	d["verdict"], d["obligations"] = "DEGRADE", []any{map[string]any{"type": "redact_fields"}}
}

// A handler of an obligation may take its time, in which the environment is halted or the decision expires.
func TestGuardRunsAfterASlowHandlerOnlyWhenTheDecisionStillStands(t *testing.T) {
	for name, c := range map[string]struct {
		takes  time.Duration
		record http.HandlerFunc
		asks   int
		ran    int
	}{
		"fresh":         {4 * time.Second, reset, 0, 1},
		"stands":        {6 * time.Second, reply(200, `{"decision_id":"dec_1","stands":true}`), 1, 1},
		"halted":        {6 * time.Second, reply(200, `{"decision_id":"dec_1","stands":false,"stands_reason":"halted"}`), 1, 0},
		"no word":       {6 * time.Second, reply(200, `{"decision_id":"dec_1"}`), 1, 0},
		"another":       {6 * time.Second, reply(200, `{"decision_id":"dec_2","stands":true}`), 1, 0},
		"no decision":   {6 * time.Second, reply(404, problem(404, "E4001", false)), 1, 0},
		"almost over":   {time.Hour - 5*time.Second, reset, 0, 0},
		"has expired":   {2 * time.Hour, reset, 0, 0},
		"a text":        {6 * time.Second, reply(200, `{"decision_id":"dec_1","stands":"true"}`), 1, 0},
		"no JSON":       {6 * time.Second, reply(200, "<html>"), 1, 0},
		"a JSON list":   {6 * time.Second, reply(200, "[]"), 1, 0},
		"a JSON number": {6 * time.Second, reply(200, "1"), 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			service := &governed{change: degraded}
			asks, ran := 0, 0
			client, _ := start(t, func(w http.ResponseWriter, r *http.Request) {
				if r.Method == "GET" {
					asks++
					c.record(w, r)
					return
				}
				service.ServeHTTP(w, r)
			})
			now := time.Unix(0, 0)
			client.transport.now = func() time.Time { return now }
			slow := Keep("redact_fields", func(context.Context, Obligation, arguments) (Terms[arguments, int], error) {
				now = now.Add(c.takes)
				return Terms[arguments, int]{}, nil
			})
			function := func(context.Context, arguments, *Decision) (int, error) { ran++; return 1, nil }
			_, err := Guard(client, guarded, function, slow)(context.Background(), arguments{Path: "/a"})
			if closeErr := client.Close(context.Background()); closeErr != nil {
				t.Fatal(closeErr)
			}
			var refused *RefusedError
			if ran != c.ran || asks != c.asks || (c.ran == 0) != (errors.As(err, &refused) && refused.Verdict == VerdictDegrade) {
				t.Errorf("ran %d times, asked %d times: %v", ran, asks, err)
			}
			if c.ran == 0 && (len(service.reported) != 1 || service.reported[0]["event"] != "tool.not_called") {
				t.Errorf("reported: %v", service.reported)
			}
		})
	}
}

func TestGuardGivesNothingOfAFailedCallUnlessObligationsLeaveResultsAlone(t *testing.T) {
	own := errors.New("no row of ada@example.com")
	for _, isRedacted := range []bool{true, false} {
		service := &governed{change: degraded}
		client, _ := start(t, service.ServeHTTP)
		keep := Keep("redact_fields", func(context.Context, Obligation, arguments) (Terms[arguments, []string], error) {
			if !isRedacted {
				return Terms[arguments, []string]{}, nil
			}
			return Terms[arguments, []string]{Result: func([]string) ([]string, error) { return []string{"redacted"}, nil }}, nil
		})
		read := func(context.Context, arguments, *Decision) ([]string, error) { return []string{"a secret"}, own }
		rows, err := Guard(client, guarded, read, keep)(context.Background(), arguments{Path: "/a"})
		want := map[bool][]string{true: nil, false: {"a secret"}}[isRedacted]
		var refused *RefusedError
		isWithheld := errors.As(err, &refused) && refused.HasRun && !errors.Is(err, own) && !strings.Contains(err.Error(), own.Error())
		if isWithheld != isRedacted || (!isRedacted && err != own) || !reflect.DeepEqual(rows, want) {
			t.Errorf("redacted %t: %v, %v", isRedacted, rows, err)
		}
		if err := client.Close(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
}
