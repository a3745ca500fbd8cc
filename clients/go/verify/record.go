package verify

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strings"

	"github.com/custos/custos-go/internal/strictjson"
)

// Record is what a leaf of the log holds.
type Record struct {
	// AgentID is the entity that the record is about.
	AgentID    string
	EventType  string
	OccurredAt string
	Payload    RecordPayload
	// PreviousHash is the event hash of the entity's record before; 64 zeros for its first.
	PreviousHash string
}

// RecordPayload is the content of a record and where it belongs.
type RecordPayload struct {
	Body         any
	Environment  string
	Organisation string
	ProofID      string
}

// A request may nest 64 levels, and the record wraps it in two more. Records may hold large integers in canonical form.
var recordLimits = strictjson.Limits{Depth: 80, LargeIntegers: true}

// readRecord parses canonical bytes. The second result is the end of a sentence that begins "The record", and empty for a sound record.
func readRecord(text []byte) (Record, string) {
	value, err := strictjson.Parse(text, recordLimits)
	if err != nil {
		return Record{}, "is not JSON: " + err.Error()
	}
	canonical, err := strictjson.Canonical(value)
	if err != nil || !bytes.Equal(canonical, text) {
		return Record{}, "is not canonical JSON (RFC 8785)"
	}
	members, err := exactMembers(value, "It", "agentId", "eventType", "occurredAt", "payload", "previousHash")
	if err != nil {
		return Record{}, "has not exactly the members of a record"
	}
	payload, err := exactMembers(members["payload"], "It", "body", "environment", "organisation", "proofId")
	if err != nil {
		return Record{}, "has not exactly the payload of a record"
	}
	var record Record
	areTexts := isText(members["agentId"], &record.AgentID) && isText(members["eventType"], &record.EventType) &&
		isText(members["occurredAt"], &record.OccurredAt) && isText(members["previousHash"], &record.PreviousHash) &&
		isText(payload["environment"], &record.Payload.Environment) &&
		isText(payload["organisation"], &record.Payload.Organisation) && isText(payload["proofId"], &record.Payload.ProofID)
	if !areTexts {
		return Record{}, "has members of the wrong kind"
	}
	if _, isHash := strictHash(record.PreviousHash); !isHash || !isTime(record.OccurredAt) {
		return Record{}, "has no valid time or previous hash"
	}
	record.Payload.Body = payload["body"]
	return record, ""
}

func isText(value any, target *string) bool {
	text, is := value.(string)
	*target = text
	return is
}

func eventHash(record []byte) string {
	hash := sha256.Sum256(record)
	return hex.EncodeToString(hash[:])
}

// generation is the number at the end of an origin, from 2 on, that counts how often the log was started again.
var generation = regexp.MustCompile(`/([2-9]|[1-9][0-9]+)$`)

// isOfLog tells whether a record belongs to the log `<host>/<organisation>/<environment>`, optionally followed by its generation.
func (r Record) isOfLog(origin string) bool {
	end := "/" + r.Payload.Organisation + "/" + r.Payload.Environment
	rest := generation.ReplaceAllString(origin, "")
	return strings.HasSuffix(rest, end) && len(rest) > len(end)
}
