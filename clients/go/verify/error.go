// Package verify checks receipts, promises and chains of records offline, with only the public keys of the log. It does not use the
// network, and shares no code with the service.
package verify

import (
	"fmt"
	"strconv"
)

// Failure names the check that failed. The service and every client use the same names.
type Failure string

// The failures of offline verification.
const (
	// Malformed: it is not a receipt, a tlog-proof, a promise or a key in the exact form.
	Malformed Failure = "MALFORMED"
	// CheckpointSignature: a signature of the checkpoint is missing or does not fit.
	CheckpointSignature Failure = "CHECKPOINT_SIGNATURE"
	// KeyNotOfLog: no key that is trusted for this log has signed.
	KeyNotOfLog Failure = "KEY_NOT_OF_LOG"
	// KeyNotAtSize: the key belongs to this log, but may not sign a tree of this size.
	KeyNotAtSize Failure = "KEY_NOT_AT_SIZE"
	// WrongSize: the signed tree has another size than the tree that index and path were made for.
	WrongSize Failure = "WRONG_SIZE"
	// WrongIndex: the record is in the log, but at another index.
	WrongIndex Failure = "WRONG_INDEX"
	// WrongPath: the path from the record to the root was changed.
	WrongPath Failure = "WRONG_PATH"
	// RecordAltered: the record is not the one that the log holds at this index.
	RecordAltered Failure = "RECORD_ALTERED"
	// RecordNotCanonical: the log holds these bytes, but they are not a record.
	RecordNotCanonical Failure = "RECORD_NOT_CANONICAL"
	// WrongProofID: the record belongs to another proof than the one that the receipt names.
	WrongProofID Failure = "WRONG_PROOF_ID"
	// WrongLog: the record names another organisation or environment than the log's origin.
	WrongLog Failure = "WRONG_LOG"
	// ChainBroken: the records are in the log, but do not link to one another as one chain.
	ChainBroken Failure = "CHAIN_BROKEN"
	// PromiseSignature: the promise's signature does not fit.
	PromiseSignature Failure = "PROMISE_SIGNATURE"
)

// Error is a failed verification. Use errors.As to get the Failure.
type Error struct {
	Failure Failure
	Message string
}

func (e *Error) Error() string { return string(e.Failure) + ": " + e.Message }

// CustosError marks the errors of this module.
func (e *Error) CustosError() {}

func failed(failure Failure, format string, values ...any) *Error {
	return &Error{Failure: failure, Message: fmt.Sprintf(format, values...)}
}

func malformed(format string, values ...any) *Error {
	return failed(Malformed, format, values...)
}

// quoted shortens an untrusted text and escapes its control characters, which a terminal would obey.
func quoted(text string) string {
	if len(text) > 80 {
		text = text[:80] + "..."
	}
	return strconv.QuoteToASCII(text)
}
