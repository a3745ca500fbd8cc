package custos

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/custos/custos-go/verify"
)

// Error is implemented by every error of this module, except those of wrong arguments: errors.As(err, &custosError).
type Error interface {
	error
	CustosError()
}

// ReceiptError is a failed offline verification.
type ReceiptError = verify.Error

// Codes of APIError that callers often handle. GET /v1/reference/errors lists all of them.
const (
	categoryAuthentication = "authentication"
	categoryValidation     = "validation"
	categoryNotFound       = "not_found"
	categoryConflict       = "conflict"
	codeDecisionLapsed     = "E5004"
)

// APIError is a problem that the service answered (RFC 9457).
type APIError struct {
	Status    int
	Code      string
	Category  string
	Retryable bool
	RequestID string
	Detail    string
	// Errors name the members of the request that are wrong.
	Errors []FieldError
	// RetryAfter is the time that the service asked to wait, if it did.
	RetryAfter *time.Duration
}

func (e *APIError) Error() string {
	text := fmt.Sprintf("custos: %s, %s", e.Code, strings.TrimSuffix(e.Detail, "."))
	if len(e.Errors) > 0 {
		text += fmt.Sprintf(" (%s: %s)", e.Errors[0].Pointer, e.Errors[0].Message)
	}
	if e.RequestID != "" {
		text += fmt.Sprintf(" [request %s]", e.RequestID)
	}
	return text
}

// CustosError marks the errors of this module.
func (e *APIError) CustosError() {}

// IsAuthentication: the key is missing, unknown, expired or revoked.
func (e *APIError) IsAuthentication() bool { return e.Status == 401 }

// IsPermission: the key may not do this.
func (e *APIError) IsPermission() bool { return e.Status == 403 }

// IsInvalid: the request does not fit the description of the API.
func (e *APIError) IsInvalid() bool { return e.Category == categoryValidation }

// IsNotFound: there is no such object.
func (e *APIError) IsNotFound() bool { return e.Status == 404 }

// IsConflict: the request contradicts the state of the object.
func (e *APIError) IsConflict() bool { return e.Category == categoryConflict }

// IsRateLimited: the key has sent too many requests.
func (e *APIError) IsRateLimited() bool { return e.Status == 429 }

// IsUnavailable: the service is starting, stopping or overloaded.
func (e *APIError) IsUnavailable() bool { return e.Status == 503 }

// ConnectionError: the service could not be reached, or the connection broke.
type ConnectionError struct{ Cause error }

func (e *ConnectionError) Error() string {
	return "custos: the service could not be reached: " + e.Cause.Error()
}

// Unwrap returns the error of the network.
func (e *ConnectionError) Unwrap() error { return e.Cause }

// CustosError marks the errors of this module.
func (e *ConnectionError) CustosError() {}

// TimeoutError: there was no answer, or the awaited state was not reached, in time.
type TimeoutError struct {
	Message string
	// State is the last state that was seen while waiting: *SubmittedIntent, *ApprovalDetail, *ProofState or nil.
	State any
	// Cause is the last error before the time was over, if there was one.
	Cause error
}

func (e *TimeoutError) Error() string { return "custos: " + e.Message }

// Unwrap returns the cause, if there is one.
func (e *TimeoutError) Unwrap() error { return e.Cause }

// Is makes errors.Is(err, context.DeadlineExceeded) true.
func (e *TimeoutError) Is(target error) bool { return target == context.DeadlineExceeded }

// CustosError marks the errors of this module.
func (e *TimeoutError) CustosError() {}

// CancelledError: the caller's context was cancelled.
type CancelledError struct{}

func (e *CancelledError) Error() string { return "custos: the call was cancelled" }

// Unwrap returns context.Canceled.
func (e *CancelledError) Unwrap() error { return context.Canceled }

// CustosError marks the errors of this module.
func (e *CancelledError) CustosError() {}

// UnexpectedAnswerError: the answer is not what the description of the API says, for example the page of a proxy, a redirect, a truncated
// body or one of more than 8 MB.
type UnexpectedAnswerError struct {
	Status     int
	RequestID  string
	Message    string
	RetryAfter *time.Duration
	// isTruncated: the connection ended within the body.
	isTruncated bool
}

func (e *UnexpectedAnswerError) Error() string {
	return fmt.Sprintf("custos: the answer (status %d) is not one of the service: %s", e.Status, e.Message)
}

// CustosError marks the errors of this module.
func (e *UnexpectedAnswerError) CustosError() {}

// RefusedError: the guarded function did not run, because no decision permits the call. Or, with HasRun, it has run, and its result or
// error is withheld.
type RefusedError struct {
	// Verdict is empty when there was no decision; Cause is the reason then.
	Verdict    string
	Reasons    []Reason
	DecisionID string
	// ApprovalID is the approval that a human must give; WithApproval repeats the call with it.
	ApprovalID string
	Message    string
	Cause      error
	// HasRun tells whether the function has run: it must not be repeated as if it had not.
	HasRun bool
}

func (e *RefusedError) Error() string { return e.Message }

// Unwrap returns the cause, if there is one.
func (e *RefusedError) Unwrap() error { return e.Cause }

// CustosError marks the errors of this module.
func (e *RefusedError) CustosError() {}
