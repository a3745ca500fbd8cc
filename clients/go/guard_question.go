package custos

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/custos/custos-go/internal/strictjson"
)

// maxArgumentsBytes is the limit of the service, for JSON without white space.
const maxArgumentsBytes = 262_144

// question is a tool call as it is asked about. Its parts are texts, so that nothing can change them while the call waits.
type question struct {
	options         GuardOptions
	arguments       json.RawMessage
	argumentsDigest string
	annotations     json.RawMessage
	context         json.RawMessage
}

// newQuestion writes the arguments as JSON, and returns the copy that is read from it.
func newQuestion[A any](options GuardOptions, arguments A) (*question, A, error) {
	var judged A
	text, err := canonicalOf(arguments)
	if err != nil {
		return nil, judged, err
	}
	if len(text) == 0 || text[0] != '{' {
		return nil, judged, errors.New("its arguments are not a JSON object")
	}
	if len(text) > maxArgumentsBytes {
		return nil, judged, fmt.Errorf("its arguments have more than %d bytes", maxArgumentsBytes)
	}
	if err := json.Unmarshal(text, &judged); err != nil {
		return nil, judged, fmt.Errorf("its arguments can't be read back from JSON: %w", err)
	}
	again, err := canonicalOf(judged)
	if err != nil || !bytes.Equal(text, again) {
		return nil, judged, errors.New("its arguments do not survive being written as JSON and read back")
	}
	q := &question{options: options, arguments: text, argumentsDigest: digestOfText(text)}
	if options.Annotations != nil {
		if q.annotations, err = json.Marshal(options.Annotations); err != nil {
			return nil, judged, err
		}
	}
	if options.Context != nil {
		if q.context, err = json.Marshal(options.Context); err != nil {
			return nil, judged, err
		}
	}
	return q, judged, nil
}

// body is the request of POST /v1/enforce.
func (q *question) body(approvalID string) any {
	type tool struct {
		Server           string          `json:"server"`
		Name             string          `json:"name"`
		Arguments        json.RawMessage `json:"arguments"`
		DefinitionDigest string          `json:"definition_digest,omitempty"`
		Annotations      json.RawMessage `json:"annotations,omitempty"`
	}
	o := q.options
	return struct {
		AgentID    string          `json:"agent_id"`
		Tool       tool            `json:"tool"`
		Context    json.RawMessage `json:"context,omitempty"`
		ApprovalID string          `json:"approval_id,omitempty"`
	}{o.AgentID, tool{o.Server, o.Name, q.arguments, o.DefinitionDigest, q.annotations}, q.context, approvalID}
}

// readDecision returns the decision of an answer, if it is one about this very question, made for this request. A proxy or a cache may
// have confused answers; and within a minute the service gives the decision that used an approval to each request with the same key. The
// second result tells an answer that may be meant for another question from one that is not of the service at all.
func readDecision(q *question, id string, got *answer) (*Decision, bool, error) {
	members, isObject := got.value.(map[string]any)
	if !isObject || got.status != 200 {
		return nil, false, got.unexpected("it is no decision")
	}
	var d Decision
	if err := strictjson.DecodePresent(got.value, &d); err != nil {
		return nil, true, got.unexpected("it is no decision: " + err.Error())
	}
	if why := mismatch(q, id, got, members, &d); why != "" {
		return nil, true, got.unexpected(why)
	}
	return &d, true, nil
}

// mismatch explains why a decision does not answer a question; it returns "" when it does.
func mismatch(q *question, id string, got *answer, members map[string]any, d *Decision) string {
	_, isDryRun := members["dry_run"]
	isAbout := d.DecisionID != "" && !isDryRun && d.AgentID == q.options.AgentID && d.Tool != nil &&
		d.Tool.Server == q.options.Server && d.Tool.Name == q.options.Name && d.Tool.ArgumentsDigest == q.argumentsDigest
	if !isAbout {
		return "it is no decision about this call"
	}
	// A proxy can replace the X-Request-Id; the service repeats the one that it has seen. Without the Idempotency-Key of this request, it is that
	// of an earlier answer, which a proxy repeats.
	seen := id
	if got.header.Get("Idempotency-Key") == id {
		seen = got.header.Get("X-Request-Id")
	}
	if d.RequestID == nil || *d.RequestID == "" || (*d.RequestID != id && *d.RequestID != seen) {
		return "it is the decision of another request"
	}
	if !isConsistent(members, d) {
		return "its verdict does not fit its other members"
	}
	if lifeOf(d) <= 0 {
		return "its times do not say how long it is valid"
	}
	return ""
}

func isConsistent(members map[string]any, d *Decision) bool {
	reasons, hasReasons := members["reasons"].([]any)
	_, hasObligations := members["obligations"].([]any)
	if !hasReasons || !hasObligations {
		return false
	}
	for _, one := range reasons {
		reason, _ := one.(map[string]any)
		_, hasCode := reason["code"].(string)
		_, hasMessage := reason["message"].(string)
		if !hasCode || !hasMessage {
			return false
		}
	}
	for _, obligation := range d.Obligations {
		if obligation.Type == "" {
			return false
		}
	}
	isAllowed, isBoolean := members["allowed"].(bool)
	switch d.Verdict {
	case VerdictAllow:
		return isAllowed
	case VerdictDegrade:
		return isAllowed && len(d.Obligations) > 0
	case VerdictDeny:
		return isBoolean && !isAllowed
	case VerdictEscalate:
		return isBoolean && !isAllowed && (d.Approval == nil || d.Approval.ApprovalID != "")
	}
	return false
}

// canonicalOf is the RFC 8785 form of a Go value's JSON.
func canonicalOf(value any) ([]byte, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	parsed, err := strictjson.Parse(text, answerLimits)
	if err != nil {
		return nil, err
	}
	return strictjson.Canonical(parsed)
}

// digestOf is the digest of a value's canonical JSON, and empty for a value that has none.
func digestOf(value any) string {
	text, err := canonicalOf(value)
	if err != nil {
		return ""
	}
	return digestOfText(text)
}

func digestOfText(text []byte) string {
	hash := sha256.Sum256(text)
	return "sha256:" + hex.EncodeToString(hash[:])
}
