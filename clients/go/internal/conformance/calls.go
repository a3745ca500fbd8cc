package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	custos "github.com/custos/custos-go"
)

// step is one call of a case.
type step struct {
	Call          string         `json:"call"`
	Arguments     map[string]any `json:"arguments"`
	Key           string         `json:"key"`
	CancelAfterMs *float64       `json:"cancelAfterMs"`
}

type callsCase struct {
	Key    string `json:"key"`
	Client struct {
		TimeoutMs *float64 `json:"timeoutMs"`
		Retries   *int     `json:"retries"`
		// wallClockOffsetHours is not needed: the client only measures durations by the wall clock.
	} `json:"client"`
	Steps []step `json:"steps"`
}

// session is one case with the results of its steps so far.
type session struct {
	url     string
	options []custos.Option
	env     map[string]string
	// client is the one of the case or, while a step with a key of its own runs, of that step.
	client *custos.Client
	// results are parsed JSON, nil after an error.
	results []any
	// onRequest, if set, is called before each request.
	onRequest func()
}

// RoundTrip sends a request of the session's client.
func (s *session) RoundTrip(r *http.Request) (*http.Response, error) {
	if s.onRequest != nil {
		s.onRequest()
	}
	return http.DefaultTransport.RoundTrip(r)
}

func runCalls(one line) (printed, error) {
	var c callsCase
	if err := json.Unmarshal(one.Case, &c); err != nil {
		return nil, err
	}
	s := &session{url: one.URL, env: one.Env}
	s.options = append(s.options, custos.WithHTTPClient(&http.Client{Transport: s}))
	if c.Client.TimeoutMs != nil {
		s.options = append(s.options, custos.WithTimeout(milliseconds(*c.Client.TimeoutMs)))
	}
	if c.Client.Retries != nil {
		s.options = append(s.options, custos.WithRetries(*c.Client.Retries))
	}
	key := one.Key
	if c.Key != "" {
		key = c.Key
	}
	shared, err := s.clientWith(key)
	if err != nil {
		return nil, err
	}
	steps := make([]printed, len(c.Steps))
	for i, step := range c.Steps {
		s.client = shared
		if step.Key != "" {
			if s.client, err = s.clientWith(step.Key); err != nil {
				return nil, fmt.Errorf("step %d: %w", i, err)
			}
		}
		if steps[i], err = s.run(step); err != nil {
			return nil, fmt.Errorf("step %d: %w", i, err)
		}
	}
	return printed{"steps": steps}, nil
}

func (s *session) clientWith(key string) (*custos.Client, error) {
	filled, err := s.fillInText(key)
	if err != nil {
		return nil, err
	}
	return custos.New(s.url, fmt.Sprint(filled), s.options...)
}

func milliseconds(count float64) time.Duration {
	return time.Duration(count * float64(time.Millisecond))
}

func (s *session) run(step step) (printed, error) {
	filled, err := s.fillIn(step.Arguments)
	if err != nil {
		return nil, err
	}
	arguments, _ := filled.(map[string]any)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if step.CancelAfterMs != nil {
		defer time.AfterFunc(milliseconds(*step.CancelAfterMs), cancel).Stop()
	}
	start := time.Now()
	var out printed
	if step.Call == "guard" {
		out, err = s.guard(ctx, arguments)
	} else {
		out, err = s.call(ctx, step.Call, arguments)
	}
	if err != nil {
		return nil, err
	}
	out["elapsedMs"] = time.Since(start).Milliseconds()
	s.results = append(s.results, out["result"])
	return out, nil
}

func (s *session) call(ctx context.Context, name string, arguments map[string]any) (printed, error) {
	call, isKnown := calls[name]
	if !isKnown {
		return nil, fmt.Errorf("unknown call %q", name)
	}
	result, err := call(ctx, s.client, arguments)
	return entry(result, err)
}

// entry is the printed form of a result or an error.
func entry(result any, err error) (printed, error) {
	if err != nil {
		members, err := errorMembers(err)
		return printed{"error": members}, err
	}
	text, err := json.Marshal(result)
	if err != nil {
		return nil, err
	}
	var parsed any
	if err := json.Unmarshal(text, &parsed); err != nil {
		return nil, err
	}
	return printed{"result": parsed}, nil
}
