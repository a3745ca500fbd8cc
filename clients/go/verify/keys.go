package verify

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"strings"
)

const (
	// A log names its promise key `<origin>/promise`, so that a promise key can never be used as a log key.
	promiseSuffix = "/promise"
	maxKeys       = 10_000
)

// Key is a key of a log that the verifier trusts.
type Key struct {
	// ID is the JWK thumbprint (RFC 7638) in base64url.
	ID string
	// Origin is the log that the key belongs to.
	Origin string
	// IsPromise tells a key for promises from one for checkpoints.
	IsPromise bool
	Public    ed25519.PublicKey
	// FirstSize and LastSize are the smallest and the largest tree that the key may sign. A nil LastSize has no limit.
	FirstSize int64
	LastSize  *int64
}

// White space of key files; files from Windows end their lines with a carriage return, too.
const space = " \t\r\n"

// ParseKeys reads trusted keys from verifier keys, one a line or in a JSON list, or from the JSON answer of GET /v1/log/keys.
func ParseKeys(text []byte) ([]Key, error) {
	trimmed := strings.Trim(string(text), space)
	if strings.HasPrefix(trimmed, "[") || strings.HasPrefix(trimmed, "{") {
		return parsePublishedKeys([]byte(trimmed))
	}
	var list []any
	for _, line := range strings.Split(trimmed, "\n") {
		if line = strings.Trim(line, space); line != "" {
			list = append(list, line)
		}
	}
	return keysOf(list)
}

// ParseVkey reads one verifier key. It may sign trees of any size.
func ParseVkey(line string) (Key, error) {
	name, algorithm, public, err := parseVkey(line)
	if err != nil {
		return Key{}, err
	}
	// The log signs the note and the time with one key, so the Ed25519 verifier key is sufficient.
	if algorithm != algorithmEd25519 {
		return Key{}, malformed("The key of %s is a cosigner's, not that of a log.", quoted(name))
	}
	return Key{
		ID:        keyID(public),
		Origin:    strings.TrimSuffix(name, promiseSuffix),
		IsPromise: strings.HasSuffix(name, promiseSuffix),
		Public:    public,
	}, nil
}

func parsePublishedKeys(text []byte) ([]Key, error) {
	value, err := parseBounded(text, "The list of keys")
	if err != nil {
		return nil, err
	}
	if _, isPage := value.(map[string]any); isPage {
		page, err := exactMembers(value, "The list of keys", "items", "nextCursor")
		if err != nil {
			return nil, err
		}
		// Without the rest, a receipt that a missing key has signed would be called forged.
		if page["nextCursor"] != nil {
			return nil, malformed("The list of keys has a nextCursor: more keys follow.")
		}
		value = page["items"]
	}
	list, isList := value.([]any)
	if !isList {
		return nil, malformed("The keys are not a JSON list as /v1/log/keys gives it.")
	}
	return keysOf(list)
}

func keysOf(list []any) ([]Key, error) {
	if len(list) > maxKeys {
		return nil, malformed("There are more than %d keys.", maxKeys)
	}
	keys := make([]Key, 0, len(list))
	for _, entry := range list {
		read := publishedKey
		if _, isText := entry.(string); isText {
			read = func(entry any) (Key, error) { return ParseVkey(entry.(string)) }
		}
		key, err := read(entry)
		if err != nil {
			return nil, err
		}
		keys = append(keys, key)
	}
	return keys, nil
}

func publishedKey(entry any) (Key, error) {
	const what = "A key of the list"
	members, err := exactMembers(entry, what, "keyId", "vkey", "use", "firstSize", "lastSize")
	if err != nil {
		return Key{}, err
	}
	vkey, isText := members["vkey"].(string)
	first, isFirst := countOf(members["firstSize"])
	last, isLast := countOf(members["lastSize"])
	if !isText || !isFirst || (!isLast && members["lastSize"] != nil) {
		return Key{}, malformed("%s has a vkey, firstSize or lastSize of the wrong kind.", what)
	}
	key, err := ParseVkey(vkey)
	if err != nil {
		return Key{}, err
	}
	use := "log"
	if key.IsPromise {
		use = "promise"
	}
	if members["keyId"] != key.ID || members["use"] != use {
		return Key{}, malformed("%s has a keyId or use that does not fit its vkey.", what)
	}
	key.FirstSize = first
	if isLast {
		key.LastSize = &last
	}
	return key, nil
}

func keyID(public []byte) string {
	x := base64.RawURLEncoding.EncodeToString(public)
	hash := sha256.Sum256([]byte(`{"crv":"Ed25519","kty":"OKP","x":"` + x + `"}`))
	return base64.RawURLEncoding.EncodeToString(hash[:])
}

func (k Key) maySign(size int64) bool {
	return k.FirstSize <= size && (k.LastSize == nil || size <= *k.LastSize)
}
