package custos

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// scripted is a service that gives one reply after another, the last one again and again.
type scripted struct {
	mutex    sync.Mutex
	replies  []http.HandlerFunc
	requests []*http.Request
}

func (s *scripted) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mutex.Lock()
	reply := s.replies[0]
	if len(s.replies) > 1 {
		s.replies = s.replies[1:]
	}
	s.requests = append(s.requests, r)
	s.mutex.Unlock()
	reply(w, r)
}

// seen returns the requests so far.
func (s *scripted) seen() []*http.Request {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.requests
}

func reply(status int, body string, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}
}

func reset(w http.ResponseWriter, _ *http.Request) {
	connection, _, err := w.(http.Hijacker).Hijack()
	if err == nil {
		connection.Close()
	}
}

const secret = "cus_live_a-key-that-must-not-be-shown"

func start(t *testing.T, replies ...http.HandlerFunc) (*Client, *scripted) {
	t.Helper()
	service := &scripted{replies: replies}
	server := httptest.NewServer(service)
	t.Cleanup(server.Close)
	client, err := New(server.URL, secret, WithTimeout(2*time.Second))
	if err != nil {
		t.Fatal(err)
	}
	return client, service
}

const halted = `{"environment":"test","halted":true,"reason":"r","keyId":"k","since":"2026-01-01T00:00:00.000Z"}`

func problem(status int, code string, retryable bool) string {
	return fmt.Sprintf(`{"status":%d,"code":%q,"category":"internal","detail":"It failed.","retryable":%t,"requestId":"r-1"}`, status, code, retryable)
}

func halt(client *Client) error {
	_, err := client.Halt.Set(context.Background(), HaltRequest{Reason: "r"})
	return err
}

func TestRepeatsWhatIsSafeUnderOneIdempotencyKey(t *testing.T) {
	for name, first := range map[string]http.HandlerFunc{
		"reset":                 reset,
		"429":                   reply(429, problem(429, "E3001", true), "Retry-After", "0"),
		"503 of a proxy":        reply(503, "<html>", "Content-Type", "text/html"),
		"409 with Retry-After":  reply(409, problem(409, "E5002", false), "Retry-After", "0"),
		"a retryable 500":       reply(500, problem(500, "E6001", true)),
		"a date relative to it": reply(503, "", "Retry-After", "Thu, 01 Jan 1970 00:00:01 GMT", "Date", "Thu, 01 Jan 1970 00:00:01 GMT"),
	} {
		t.Run(name, func(t *testing.T) {
			client, service := start(t, first, reply(200, halted))
			if err := halt(client); err != nil {
				t.Fatal(err)
			}
			keys := map[string]bool{}
			for _, r := range service.seen() {
				keys[r.Header.Get("Idempotency-Key")] = true
			}
			if len(service.seen()) != 2 || len(keys) != 1 || keys[""] {
				t.Errorf("%d requests with the keys %v", len(service.seen()), keys)
			}
		})
	}
}

func TestSendsTheIdempotencyKeyOfTheContextWithEachAttempt(t *testing.T) {
	client, service := start(t, reset, reply(200, halted))
	if _, err := client.Halt.Set(WithIdempotencyKey(context.Background(), "key-1"), HaltRequest{Reason: "test"}); err != nil {
		t.Fatal(err)
	}
	for _, r := range service.seen() {
		if got := r.Header.Get("Idempotency-Key"); got != "key-1" {
			t.Errorf("the key is %q", got)
		}
	}
}

func TestEndsAtOnceWithATypedErrorWhenARetryIsOfNoUse(t *testing.T) {
	var api *APIError
	var unexpected *UnexpectedAnswerError
	for name, c := range map[string]struct {
		reply  http.HandlerFunc
		target any
	}{
		"an unauthorised key":            {reply(401, problem(401, "E1001", false)), &api},
		"a refused member":               {reply(422, problem(422, "E2001", true)), &api},
		"Retry-After beyond the time":    {reply(503, problem(503, "E6002", true), "Retry-After", "60"), &api},
		"the page of a proxy":            {reply(200, "<html>"), &unexpected},
		"a missing member":               {reply(200, `{"halted":true}`), &unexpected},
		"a member of another type":       {reply(200, strings.Replace(halted, "true", `"yes"`, 1)), &unexpected},
		"a member twice":                 {reply(200, strings.Replace(halted, "{", `{"halted":false,`, 1)), &unexpected},
		"a redirect":                     {reply(307, "", "Location", "http://127.0.0.1:1/"), &unexpected},
		"more than 8 MB":                 {reply(200, halted+strings.Repeat(" ", 8<<20)), &unexpected},
		"a name that differs in case":    {reply(200, strings.Replace(halted, "halted", "Halted", 1)), &unexpected},
		"an error that is not a problem": {reply(500, "oops"), &unexpected},
	} {
		t.Run(name, func(t *testing.T) {
			client, service := start(t, c.reply)
			err := halt(client)
			if !errors.As(err, c.target) || len(service.seen()) != 1 {
				t.Errorf("%d requests: %v", len(service.seen()), err)
			}
			var custosError Error
			if !errors.As(err, &custosError) || strings.Contains(fmt.Sprintf("%v %+v %#v", err, err, err), secret) {
				t.Errorf("not an error of the module, or one that shows the key: %#v", err)
			}
		})
	}
}

func TestDoesNotRepeatAPatchAfterABrokenConnection(t *testing.T) {
	client, service := start(t, reset)
	_, err := client.Agents.Update(context.Background(), "a", AgentUpdate{Name: Ptr("b")})
	var broken *ConnectionError
	if !errors.As(err, &broken) || len(service.seen()) != 1 {
		t.Errorf("%d requests: %v", len(service.seen()), err)
	}
}

func TestGivesUpAfterThreeRetries(t *testing.T) {
	client, service := start(t, reset)
	if err := halt(client); err == nil || len(service.seen()) != 4 {
		t.Errorf("%d requests: %v", len(service.seen()), err)
	}
}

func TestEndsRequestAndBackOffWhenTheContextEnds(t *testing.T) {
	slow := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	for name, first := range map[string]http.HandlerFunc{"request": slow, "back-off": reply(503, "", "Retry-After", "1")} {
		t.Run(name, func(t *testing.T) {
			client, _ := start(t, first)
			ctx, cancel := context.WithCancel(context.Background())
			time.AfterFunc(20*time.Millisecond, cancel)
			_, err := client.Halt.Get(ctx)
			var cancelled *CancelledError
			if !errors.As(err, &cancelled) || !errors.Is(err, context.Canceled) {
				t.Errorf("cancelled: %v", err)
			}
			if name == "back-off" {
				return // A wait beyond the end of the context is not begun.
			}
			late, end := context.WithTimeout(context.Background(), 20*time.Millisecond)
			defer end()
			_, err = client.Halt.Get(late)
			var timeout *TimeoutError
			if !errors.As(err, &timeout) || !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("late: %v", err)
			}
		})
	}
}

func TestIteratesOverAllPages(t *testing.T) {
	page := func(items, next string) http.HandlerFunc {
		return reply(200, fmt.Sprintf(`{"items":[%s],"nextCursor":%s}`, items, next))
	}
	const item = `{"size":1,"root":"r","note":"n","signedAt":"2026-01-01T00:00:00.000Z"}`
	client, service := start(t, page(item+","+item, `"c 1"`), page("", `"c2"`), page(item, "null"))
	items, err := client.Log.AllCheckpoints(context.Background(), LogCheckpointsQuery{Limit: 2}).Collect()
	if err != nil || len(items) != 3 || len(service.seen()) != 3 {
		t.Fatalf("%d items, %d requests: %v", len(items), len(service.seen()), err)
	}
	if got := service.seen()[1].URL.RawQuery; got != "cursor=c+1&limit=2" {
		t.Errorf("the query of the second page is %s", got)
	}
}

func TestNeverShowsTheKey(t *testing.T) {
	client, _ := start(t, reset)
	if text := fmt.Sprintf("%v %+v %#v %v", client, client, *client, client.transport); strings.Contains(text, secret) {
		t.Error(text)
	}
	if _, err := New("http://127.0.0.1:1", "bad\nkey"); err == nil || strings.Contains(err.Error(), "bad") {
		t.Error(err)
	}
}

func TestRefusesAnIdempotencyKeyThatNoHeaderMayHave(t *testing.T) {
	client, service := start(t, reply(200, halted))
	for _, key := range []string{"ключ", strings.Repeat("x", 256), "k\r\nX-Other: 1"} {
		_, err := client.Halt.Set(WithIdempotencyKey(context.Background(), key), HaltRequest{Reason: "test"})
		if err == nil || isConnectionError(err) || len(service.seen()) > 0 {
			t.Errorf("%q: %v", key, err)
		}
	}
}

func TestTakesAKeyWithANewlineAtItsEnd(t *testing.T) {
	service := &scripted{replies: []http.HandlerFunc{reply(200, halted)}}
	server := httptest.NewServer(service)
	t.Cleanup(server.Close)
	client, err := New(server.URL, secret+"\n")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.Halt.Get(context.Background()); err != nil {
		t.Fatal(err)
	}
	if got := service.seen()[0].Header.Get("X-API-Key"); got != secret {
		t.Error("the key was sent as", len(got), "characters")
	}
}

func TestRefusesAddressesAndIdsThatMeanSomethingElse(t *testing.T) {
	for _, address := range []string{"127.0.0.1:3000", "ftp://host", "http://", "http://user:pass@host", "http://host?a=1"} {
		if _, err := New(address, ""); err == nil {
			t.Errorf("%s was accepted", address)
		}
	}
	client, service := start(t, reply(200, halted))
	for _, id := range []string{"", ".", ".."} {
		if _, err := client.Agents.Terminate(context.Background(), id); err == nil || len(service.seen()) > 0 {
			t.Errorf("the id %q was sent", id)
		}
	}
	_, _ = client.Agents.Get(context.Background(), "a/b?c")
	if got := service.seen()[0].URL.EscapedPath(); got != "/v1/agents/a%2Fb%3Fc" {
		t.Errorf("the path is %s", got)
	}
}

// Operations that are not for this client: webhooks, which administrators set up, documents for tools, and the interface for
// gateways that speak AuthZEN.
var others = regexp.MustCompile(`^(\w+ /v1/webhooks.*|GET /(openapi\.json|metrics|schemas/.*|\.well-known/authzen-configuration)|POST /access/v1/.*)$`)

func TestHasEveryOperationOfTheDescription(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "openapi.json"))
	if err != nil {
		t.Skip("the description of the API is not beside this module: " + err.Error())
	}
	var description struct {
		Paths map[string]map[string]json.RawMessage `json:"paths"`
	}
	if err := json.Unmarshal(text, &description); err != nil {
		t.Fatal(err)
	}
	var source strings.Builder
	files, _ := filepath.Glob("*.go")
	for _, file := range files {
		if content, err := os.ReadFile(file); err == nil && !strings.HasSuffix(file, "_test.go") {
			source.Write(content)
		}
	}
	for path, operations := range description.Paths {
		for method := range operations {
			operation := strings.ToUpper(method) + " " + path
			isKnown := strings.Contains(source.String(), `operation: "`+operation+`"`)
			if !isKnown && !others.MatchString(operation) && regexp.MustCompile(`^(get|post|put|patch|delete)$`).MatchString(method) {
				t.Errorf("no method sends %s", operation)
			}
		}
	}
}
