package verify

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Signed notes (c2sp.org/signed-note) with two kinds of signatures: Ed25519 over the text, and cosignature/v1 (c2sp.org/tlog-cosignature)
// over a time and the text.

const (
	algorithmEd25519  = 0x01
	algorithmCosigned = 0x04
	keyHashBytes      = 4
	timeBytes         = 8
	signaturePrefix   = "\u2014 "
	maxSignatures     = 100
	maxNoteCharacters = 65_536
	// The latest time that a date of ECMAScript can have. The format allows later ones.
	maxTimeSeconds     = 8_640_000_000_000
	cosignatureHeading = "cosignature/v1\n"
)

// noteKeyHash is the key ID of signed-note: SHA-256(name || 0x0A || algorithm || key), 4 bytes.
func noteKeyHash(name string, algorithm byte, key []byte) []byte {
	input := append([]byte(name), '\n', algorithm)
	hash := sha256.Sum256(append(input, key...))
	return hash[:keyHashBytes]
}

func isKeyName(name string) bool {
	if name == "" || !utf8.ValidString(name) {
		return false
	}
	for _, char := range name {
		if char == '+' || unicode.Is(unicode.White_Space, char) || unicode.Is(unicode.Cc, char) {
			return false
		}
	}
	return true
}

// parseVkey reads `<name>+<key hash in hex>+<base64 of algorithm || key>`.
func parseVkey(text string) (name string, algorithm byte, key []byte, err error) {
	parts := strings.SplitN(text, "+", 3)
	if len(parts) != 3 || !isKeyName(parts[0]) {
		return "", 0, nil, malformed("%s is not a verifier key (<name>+<hash>+<base64>).", quoted(text))
	}
	material, isBase64 := strictBase64(parts[2])
	if !isBase64 || len(material) != 1+ed25519.PublicKeySize {
		return "", 0, nil, malformed("%s is not a verifier key (<name>+<hash>+<base64>).", quoted(text))
	}
	name, algorithm, key = parts[0], material[0], material[1:]
	if algorithm != algorithmEd25519 && algorithm != algorithmCosigned {
		return "", 0, nil, malformed("The verifier key of %s is not for Ed25519.", quoted(name))
	}
	if hex.EncodeToString(noteKeyHash(name, algorithm, key)) != parts[1] {
		return "", 0, nil, malformed("The verifier key of %s does not fit its hash: it was changed.", quoted(name))
	}
	return name, algorithm, key, nil
}

type signatureLine struct {
	name      string
	keyHash   []byte
	signature []byte
}

// isNoteText: control characters other than the line feed are not allowed.
func isNoteText(text string) bool {
	if !strings.HasSuffix(text, "\n") || !utf8.ValidString(text) {
		return false
	}
	return strings.IndexFunc(text, func(char rune) bool { return char < 0x20 && char != '\n' }) == -1
}

func parseNote(note string) (text string, lines []signatureLine, err error) {
	refuse := func(why string) (string, []signatureLine, error) {
		return "", nil, malformed("The checkpoint is not a signed note: %s.", why)
	}
	if utf16Length(note) > maxNoteCharacters {
		return refuse("it is too large")
	}
	end := strings.LastIndex(note, "\n\n")
	if end == -1 {
		return refuse("no empty line stands before the signatures")
	}
	text, rest := note[:end+1], note[end+2:]
	if !isNoteText(text) || !isNoteText(rest) {
		return refuse("it has control characters, or its last line has no end")
	}
	parts := strings.Split(strings.TrimSuffix(rest, "\n"), "\n")
	if len(parts) > maxSignatures {
		return refuse(fmt.Sprintf("it has more than %d signatures", maxSignatures))
	}
	for _, part := range parts {
		line, isLine := parseSignatureLine(part)
		if !isLine {
			return refuse("a signature line is not a dash, a name and base64")
		}
		lines = append(lines, line)
	}
	return text, lines, nil
}

func parseSignatureLine(line string) (signatureLine, bool) {
	if !strings.HasPrefix(line, signaturePrefix) {
		return signatureLine{}, false
	}
	words := strings.Split(strings.TrimPrefix(line, signaturePrefix), " ")
	if len(words) != 2 || !isKeyName(words[0]) {
		return signatureLine{}, false
	}
	decoded, isBase64 := strictBase64(words[1])
	if !isBase64 || len(decoded) <= keyHashBytes {
		return signatureLine{}, false
	}
	return signatureLine{words[0], decoded[:keyHashBytes], decoded[keyHashBytes:]}, true
}

// noteVerifier checks one kind of signature line of one key.
type noteVerifier struct {
	key     Key
	isTimed bool
	keyHash []byte
}

func verifiersOf(key Key) []noteVerifier {
	return []noteVerifier{
		{key, false, noteKeyHash(key.Origin, algorithmEd25519, key.Public)},
		{key, true, noteKeyHash(key.Origin, algorithmCosigned, key.Public)},
	}
}

func (v noteVerifier) isFor(line signatureLine) bool {
	return v.key.Origin == line.name && bytes.Equal(v.keyHash, line.keyHash)
}

func (v noteVerifier) accepts(text string, signature []byte) bool {
	if !v.isTimed {
		return len(signature) == ed25519.SignatureSize && ed25519.Verify(v.key.Public, []byte(text), signature)
	}
	if len(signature) != timeBytes+ed25519.SignatureSize {
		return false
	}
	seconds := binary.BigEndian.Uint64(signature)
	if seconds > maxTimeSeconds {
		return false
	}
	message := fmt.Sprintf("%stime %d\n%s", cosignatureHeading, seconds, text)
	return ed25519.Verify(v.key.Public, []byte(message), signature[timeBytes:])
}

// verifiedLine is a valid signature of a known key.
type verifiedLine struct {
	verifier noteVerifier
	// unixSeconds is the signing time of a cosignature.
	unixSeconds uint64
}

// openNote ignores lines of unknown keys; an invalid line of a known key invalidates the whole note.
func openNote(note string, verifiers []noteVerifier) ([]verifiedLine, error) {
	text, lines, err := parseNote(note)
	if err != nil {
		return nil, err
	}
	var verified []verifiedLine
	for _, line := range lines {
		isKnown, isValid := false, false
		// Two keys with the same name and hash are a 32-bit collision: either may be the signer.
		for _, verifier := range verifiers {
			if isValid || !verifier.isFor(line) {
				continue
			}
			isKnown = true
			if !verifier.accepts(text, line.signature) {
				continue
			}
			isValid = true
			found := verifiedLine{verifier: verifier}
			if verifier.isTimed {
				found.unixSeconds = binary.BigEndian.Uint64(line.signature)
			}
			verified = append(verified, found)
		}
		if isKnown && !isValid {
			return nil, failed(CheckpointSignature, "The signature of %s does not fit the checkpoint.", quoted(line.name))
		}
	}
	if len(verified) == 0 {
		return nil, failed(KeyNotOfLog, "None of the keys that are trusted has signed this checkpoint.")
	}
	return verified, nil
}
