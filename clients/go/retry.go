package custos

import (
	"context"
	"crypto/rand"
	"errors"
	"math/big"
	"net/http"
	"strings"
	"time"
)

const (
	firstDelay = 100 * time.Millisecond
	maxDelay   = 2 * time.Second
)

// finalStatuses: the same request would fail again, whatever the answer says.
var finalStatuses = map[int]bool{400: true, 401: true, 403: true, 404: true, 413: true, 415: true, 422: true}

// isIdempotent tells whether a second time changes nothing. A PATCH could undo what somebody else did in between, and the end of a halt
// could end another one.
func isIdempotent(operation string) bool {
	return !strings.HasPrefix(operation, http.MethodPatch+" ") && operation != "DELETE /v1/halt"
}

// mayRepeat tells whether a request can be sent again after an error, also when the service may have carried it out.
func mayRepeat(err error, operation string) bool {
	var problem *APIError
	var unexpected *UnexpectedAnswerError
	switch {
	case errors.As(err, &problem):
		// 409 with Retry-After: the first request with this Idempotency-Key is still running.
		isRunning := problem.Status == http.StatusConflict && problem.RetryAfter != nil
		return !finalStatuses[problem.Status] && (isRunning || isLater(problem.Status) || problem.Retryable)
	case errors.As(err, &unexpected):
		return isLater(unexpected.Status) || (unexpected.isTruncated && isIdempotent(operation))
	}
	return isConnectionError(err) && isIdempotent(operation)
}

func isLater(status int) bool {
	return status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable
}

// delayBefore is the time that the service asked to wait, or an exponential back-off with full jitter.
func delayBefore(err error, done int) time.Duration {
	var problem *APIError
	var unexpected *UnexpectedAnswerError
	if errors.As(err, &problem) && problem.RetryAfter != nil {
		return *problem.RetryAfter
	}
	if errors.As(err, &unexpected) && unexpected.RetryAfter != nil {
		return *unexpected.RetryAfter
	}
	limit := firstDelay << done
	if limit > maxDelay {
		limit = maxDelay
	}
	return jitter(limit)
}

// sleep returns false when the context ended first.
func sleep(ctx context.Context, delay time.Duration) bool {
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// jitter returns a random part of a delay. math/rand starts with the same number in each process before Go 1.20.
func jitter(limit time.Duration) time.Duration {
	part, err := rand.Int(rand.Reader, big.NewInt(int64(limit)))
	if err != nil {
		return limit
	}
	return time.Duration(part.Int64())
}
