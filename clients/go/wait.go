package custos

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

const (
	// maxHeld is the longest time for which the service holds a request.
	maxHeld   = 30 * time.Second
	firstPoll = 250 * time.Millisecond
	maxPoll   = 2 * time.Second
)

// isTransient tells an outage that may pass while there is still time to wait.
func isTransient(err error) bool {
	var problem *APIError
	if errors.As(err, &problem) {
		return problem.Retryable || isLater(problem.Status) || problem.Status >= 500
	}
	var unexpected *UnexpectedAnswerError
	var timeout *TimeoutError
	return errors.As(err, &unexpected) || errors.As(err, &timeout) || isConnectionError(err)
}

// waitUntil asks until a state is reached. The service holds the request where it can; otherwise it is repeated with back-off.
func waitUntil[T any](ctx context.Context, t *transport, r request, timeout time.Duration, isReached func(*T) bool) (*T, error) {
	end := time.Now().Add(timeout)
	var last *T
	var cause error
	for poll := firstPoll; ; {
		left := time.Until(end)
		if ctx.Err() == nil && left <= 0 {
			return nil, waitTimeout(r, timeout, last, cause)
		}
		state, isHeld, err := askHeld[T](ctx, t, r, left)
		switch {
		case ctx.Err() != nil:
			return nil, waitEnd(ctx, r, last)
		case err != nil && !isTransient(err):
			return nil, err
		case err != nil:
			cause = err
		case isReached(state):
			return state, nil
		default:
			last, cause = state, nil
		}
		// A held request has waited already.
		if isHeld {
			continue
		}
		delay := poll
		if left := time.Until(end); left < delay {
			delay = left
		}
		if !sleep(ctx, delay) {
			return nil, waitEnd(ctx, r, last)
		}
		if poll *= 2; poll > maxPoll {
			poll = maxPoll
		}
	}
}

// askHeld asks once, and tells whether the service held the request.
func askHeld[T any](ctx context.Context, t *transport, r request, left time.Duration) (*T, bool, error) {
	held := left
	if held > maxHeld {
		held = maxHeld
	}
	seconds := int(held / time.Second)
	r.timeout = time.Duration(seconds)*time.Second + t.timeout
	if seconds > 0 {
		r.header = http.Header{"Prefer": {fmt.Sprintf("wait=%d", seconds)}}
	}
	if r.timeout > left {
		r.timeout = left
	}
	state, got, err := getAnswer[T](ctx, t, r)
	if err != nil {
		return nil, false, err
	}
	return state, strings.Contains(got.header.Get("Preference-Applied"), "wait="), nil
}

func waitTimeout[T any](r request, timeout time.Duration, last *T, cause error) error {
	late := &TimeoutError{Message: fmt.Sprintf("%s was not decided within %s", r.path[0], timeout), Cause: cause}
	if last != nil {
		late.State = last
	}
	return late
}

// waitEnd is the error when the caller's context ended.
func waitEnd[T any](ctx context.Context, r request, last *T) error {
	err := contextError(ctx, r.path[0]+" was not decided in time")
	var late *TimeoutError
	if errors.As(err, &late) && last != nil {
		late.State = last
	}
	return err
}
