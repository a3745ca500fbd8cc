package verify

import (
	"encoding/hex"
	"strings"
	"time"
)

const (
	receiptFormat = "custos-receipt/1"
	// A request has at most 1 MB, and base64 adds a third.
	maxReceiptBytes = 2 * 1_048_576
	maxPath         = 53
	maxProofID      = 256
	proofHeader     = "c2sp.org/tlog-proof@v1"
)

// VerifiedReceipt is what a verified receipt proves.
type VerifiedReceipt struct {
	ProofID string
	// Origin is the log; Size and Root are those of the tree that it signed.
	Origin string
	Size   int64
	// Root is lower-case hex.
	Root string
	// Time is when the log signed the tree, in whole seconds.
	Time   time.Time
	KeyID  string
	Index  int64
	Record Record
	// EventHash is SHA-256 of the record, which the entity's next record refers to. Lower-case hex.
	EventHash string
}

type receipt struct {
	proofID    string
	record     []byte
	index      int64
	path       [][]byte
	checkpoint string
}

// Receipt verifies a receipt: the JSON that GET /v1/proofs/{id} answers, or a tlog-proof text. Size and root are taken from the signed
// checkpoint only. The first check that fails is reported as *Error: form, signature, position in the tree, record.
func Receipt(text []byte, trusted []Key) (*VerifiedReceipt, error) {
	parsed, err := parseReceipt(text)
	if err != nil {
		return nil, err
	}
	return parsed.verify(trusted)
}

func (r receipt) verify(trusted []Key) (*VerifiedReceipt, error) {
	head, err := readCheckpoint(r.checkpoint, trusted)
	if err != nil {
		return nil, err
	}
	proof := inclusion{r.index, head.size, hashLeaf(r.record), r.path, head.root}
	record, why := readRecord(r.record)
	isSound := why == "" && record.Payload.ProofID == r.proofID && record.isOfLog(head.origin)
	if !proof.holds() {
		return nil, diagnose(proof, isSound)
	}
	switch {
	case why != "":
		return nil, failed(RecordNotCanonical, "The log holds the record, but it %s.", why)
	case record.Payload.ProofID != r.proofID:
		return nil, failed(WrongProofID, "The record is that of the proof %s, not of %s.", quoted(record.Payload.ProofID), quoted(r.proofID))
	case !isSound:
		return nil, failed(WrongLog, "The record names %s, but the log is %s.",
			quoted(record.Payload.Organisation+"/"+record.Payload.Environment), quoted(head.origin))
	}
	return &VerifiedReceipt{
		ProofID: r.proofID, Origin: head.origin, Size: head.size, Root: hex.EncodeToString(head.root), Time: head.time,
		KeyID: head.keyID, Index: r.index, Record: record, EventHash: eventHash(r.record),
	}, nil
}

func parseReceipt(text []byte) (receipt, error) {
	if strings.HasPrefix(string(text), proofHeader+"\n") {
		return parseTlogProof(string(text))
	}
	value, err := parseBounded(text, "The receipt")
	if err != nil {
		return receipt{}, err
	}
	members, err := exactMembers(value, "The receipt", "format", "status", "proofId", "record", "index", "path", "checkpoint")
	if err != nil {
		return receipt{}, err
	}
	if members["format"] != receiptFormat || members["status"] != "anchored" {
		return receipt{}, malformed("The receipt's format is not %q, or its status is not \"anchored\".", receiptFormat)
	}
	var out receipt
	if !isText(members["proofId"], &out.proofID) || out.proofID == "" || utf16Length(out.proofID) > maxProofID {
		return receipt{}, malformed("The receipt's proofId is not a text of 1 to %d characters.", maxProofID)
	}
	var isBase64, isCount bool
	record, _ := members["record"].(string)
	if out.record, isBase64 = strictBase64(record); !isBase64 || len(out.record) == 0 {
		return receipt{}, malformed("The receipt's record is not standard base64 of some bytes.")
	}
	if out.index, isCount = countOf(members["index"]); !isCount {
		return receipt{}, malformed("The receipt's index is not a whole number from 0 to 2^53-1.")
	}
	if out.path, err = hashList(members["path"]); err != nil {
		return receipt{}, err
	}
	if !isText(members["checkpoint"], &out.checkpoint) {
		return receipt{}, malformed("The receipt's checkpoint is not a text.")
	}
	return out, nil
}

func hashList(value any) ([][]byte, error) {
	list, isList := value.([]any)
	if !isList || len(list) > maxPath {
		return nil, malformed("The receipt's path is not a list of at most %d hashes.", maxPath)
	}
	hashes := make([][]byte, len(list))
	for i, entry := range list {
		hash, isHash := strictHash(entry)
		if !isHash {
			return nil, malformed("The receipt's path has an entry that is not 64 lower-case hex digits.")
		}
		hashes[i] = hash
	}
	return hashes, nil
}

// parseTlogProof reads the text form (c2sp.org/tlog-proof) with the record as extra data. The id of the proof is the one in the record.
func parseTlogProof(text string) (receipt, error) {
	if len(text) > maxReceiptBytes {
		return receipt{}, malformed("The tlog-proof is larger than %d bytes.", maxReceiptBytes)
	}
	head, note, isSplit := strings.Cut(text, "\n\n")
	lines := strings.Split(head, "\n")
	if !isSplit || len(lines) < 3 || !strings.HasPrefix(lines[1], "extra ") || !strings.HasPrefix(lines[2], "index ") {
		return receipt{}, malformed("The tlog-proof has no extra line, no index line, or no empty line before its checkpoint.")
	}
	record, isBase64 := strictBase64(strings.TrimPrefix(lines[1], "extra "))
	index, isIndex := strictDecimal(strings.TrimPrefix(lines[2], "index "))
	if !isBase64 || len(record) == 0 || !isIndex {
		return receipt{}, malformed("The tlog-proof's record is not base64, or its index is not a number.")
	}
	out := receipt{record: record, index: index, checkpoint: note}
	for _, line := range lines[3:] {
		hash, isHash := strictBase64(line)
		if !isHash || len(hash) != hashBytes {
			return receipt{}, malformed("The tlog-proof has a path line that is not 32 bytes in base64.")
		}
		out.path = append(out.path, hash)
	}
	if len(out.path) > maxPath {
		return receipt{}, malformed("The tlog-proof has more than %d hashes.", maxPath)
	}
	// Without a readable record the check of the record fails, whatever the id.
	out.proofID = "?"
	if parsed, why := readRecord(record); why == "" {
		out.proofID = parsed.Payload.ProofID
		if out.proofID == "" || utf16Length(out.proofID) > maxProofID {
			return receipt{}, malformed("The record's proofId is not a text of 1 to %d characters.", maxProofID)
		}
	}
	return out, nil
}
