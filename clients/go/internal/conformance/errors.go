package main

import (
	"errors"
	"fmt"
	"time"

	custos "github.com/custos/custos-go"
)

// errFunction is the error of the guarded function itself.
var errFunction = errors.New("function failed")

// errorMembers describes an error of the client. Any other error is a defect of the case or of this program.
func errorMembers(err error) (printed, error) {
	out := printed{"type": errorType(err), "message": err.Error()}
	var api *custos.APIError
	var unexpected *custos.UnexpectedAnswerError
	var late *custos.TimeoutError
	var refused *custos.RefusedError
	var receipt *custos.ReceiptError
	switch {
	case out["type"] == "":
		return nil, fmt.Errorf("not an error of the client: %w", err)
	case errors.As(err, &refused):
		describeRefusal(out, refused)
	case errors.As(err, &api):
		out["code"], out["status"], out["category"] = api.Code, api.Status, api.Category
		out["retryable"], out["requestId"] = api.Retryable, api.RequestID
		addRetryAfter(out, api.RetryAfter)
	case errors.As(err, &unexpected):
		out["status"] = unexpected.Status
		addRetryAfter(out, unexpected.RetryAfter)
		if unexpected.RequestID != "" {
			out["requestId"] = unexpected.RequestID
		}
	case errors.As(err, &late):
		if late.State != nil {
			out["state"] = late.State
		}
	case errors.As(err, &receipt):
		out["failure"] = receipt.Failure
	}
	return out, nil
}

func errorType(err error) string {
	var api *custos.APIError
	var connection *custos.ConnectionError
	var late *custos.TimeoutError
	var cancelled *custos.CancelledError
	var unexpected *custos.UnexpectedAnswerError
	var refused *custos.RefusedError
	var receipt *custos.ReceiptError
	switch {
	case err == errFunction:
		return "function"
	case errors.As(err, &refused):
		return "refused"
	case errors.As(err, &late):
		return "timeout"
	case errors.As(err, &api):
		return "api"
	case errors.As(err, &connection):
		return "connection"
	case errors.As(err, &cancelled):
		return "cancelled"
	case errors.As(err, &unexpected):
		return "unexpected"
	case errors.As(err, &receipt):
		return "receipt"
	}
	return ""
}

func describeRefusal(out printed, refused *custos.RefusedError) {
	out["verdict"] = nil
	if refused.Verdict != "" {
		out["verdict"] = refused.Verdict
	}
	if (refused.Verdict == "" || refused.HasRun) && refused.Cause != nil {
		out["cause"] = "other"
		if cause := errorType(refused.Cause); cause != "" {
			out["cause"] = cause
		}
	}
	out["hasRun"] = refused.HasRun
	if refused.DecisionID != "" {
		out["decisionId"] = refused.DecisionID
	}
	if refused.ApprovalID != "" {
		out["approvalId"] = refused.ApprovalID
	}
}

func addRetryAfter(out printed, delay *time.Duration) {
	if delay != nil {
		out["retryAfterSeconds"] = delay.Seconds()
	}
}
