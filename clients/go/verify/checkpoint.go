package verify

import (
	"bytes"
	"strings"
	"time"
)

// checkpoint is a verified tree head (c2sp.org/tlog-checkpoint).
type checkpoint struct {
	origin string
	size   int64
	root   []byte
	time   time.Time
	keyID  string
}

// readCheckpoint requires both lines of a key that is trusted for this origin and may sign this size: if one was removed, either the time
// or the log's plain signature is missing.
func readCheckpoint(note string, trusted []Key) (checkpoint, error) {
	text, _, err := parseNote(note)
	if err != nil {
		return checkpoint{}, err
	}
	head, err := parseHead(text)
	if err != nil {
		return checkpoint{}, err
	}
	var keys []Key
	var verifiers []noteVerifier
	for _, key := range trusted {
		if !key.IsPromise && key.Origin == head.origin {
			keys = append(keys, key)
			verifiers = append(verifiers, verifiersOf(key)...)
		}
	}
	if len(keys) == 0 {
		return checkpoint{}, failed(KeyNotOfLog, "None of the keys that are trusted belongs to the log %s.", quoted(head.origin))
	}
	lines, err := openNote(note, verifiers)
	if err != nil {
		return checkpoint{}, err
	}
	signed, isSigned := findBothLines(lines)
	if !isSigned {
		return checkpoint{}, failed(CheckpointSignature, "One of the two signatures of the log key is missing or was changed.")
	}
	head.keyID = signed.verifier.key.ID
	head.time = time.Unix(int64(signed.unixSeconds), 0).UTC()
	// A key that is listed twice was in use for two ranges of sizes.
	for _, key := range keys {
		if key.ID == head.keyID && key.maySign(head.size) {
			return head, nil
		}
	}
	return checkpoint{}, failed(KeyNotAtSize, "The key %s may not sign a tree of %d leaves.", head.keyID, head.size)
}

// findBothLines returns the first timed line whose key has also signed the plain text.
func findBothLines(lines []verifiedLine) (verifiedLine, bool) {
	for _, timed := range lines {
		for _, plain := range lines {
			isSameKey := bytes.Equal(timed.verifier.key.Public, plain.verifier.key.Public)
			if timed.verifier.isTimed && !plain.verifier.isTimed && isSameKey {
				return timed, true
			}
		}
	}
	return verifiedLine{}, false
}

func parseHead(text string) (checkpoint, error) {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for len(lines) < 3 {
		lines = append(lines, "")
	}
	for _, extension := range lines[3:] {
		if extension == "" {
			return checkpoint{}, malformed("The checkpoint has an empty line where it may not have one.")
		}
	}
	if lines[0] == "" {
		return checkpoint{}, malformed("The checkpoint has an empty line where it may not have one.")
	}
	size, isSize := strictDecimal(lines[1])
	if !isSize {
		return checkpoint{}, malformed("The checkpoint's size %s is not a number of leaves below 2^53.", quoted(lines[1]))
	}
	root, isBase64 := strictBase64(lines[2])
	if !isBase64 || len(root) != hashBytes {
		return checkpoint{}, malformed("The checkpoint's root is not 32 bytes in base64.")
	}
	return checkpoint{origin: lines[0], size: size, root: root}, nil
}
