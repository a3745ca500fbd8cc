package verify

import (
	"crypto/ed25519"
	"regexp"

	"github.com/custos/custos-go/internal/strictjson"
)

const (
	promisePrefix  = "custos-promise-v1\n"
	maxPromiseText = 1_024
)

var thumbprintPattern = regexp.MustCompile(`^[A-Za-z0-9_-]{43}$`)

// SignedPromise is the log's statement that a record will be in it by a deadline.
type SignedPromise struct {
	Log          string
	ProofID      string
	RecordDigest string
	IssuedAt     string
	Deadline     string
	KeyID        string
}

// Promise verifies the signature of a promise. The text is the promise itself, or the answer that contains it.
func Promise(text []byte, trusted []Key) (*SignedPromise, error) {
	value, err := parseBounded(text, "The promise")
	if err != nil {
		return nil, err
	}
	if answer, isObject := value.(map[string]any); isObject {
		if promise, isAnswer := answer["promise"]; isAnswer {
			value = promise
		}
	}
	members, err := exactMembers(value, "The promise",
		"log", "proofId", "recordDigest", "issuedAt", "deadline", "keyId", "signature")
	if err != nil {
		return nil, err
	}
	promise, signature, err := readPromise(members)
	if err != nil {
		return nil, err
	}
	for _, key := range trusted {
		if !key.IsPromise || key.Origin != promise.Log || key.ID != promise.KeyID {
			continue
		}
		delete(members, "signature")
		claims, err := strictjson.Canonical(members)
		if err != nil {
			return nil, malformed("The promise has no canonical form: %s.", err)
		}
		if !ed25519.Verify(key.Public, append([]byte(promisePrefix), claims...), signature) {
			return nil, failed(PromiseSignature, "The signature does not fit the promise: one of them was changed.")
		}
		return &promise, nil
	}
	return nil, failed(KeyNotOfLog, "None of the promise keys of %s that are trusted is %s.", quoted(promise.Log), promise.KeyID)
}

func readPromise(members map[string]any) (SignedPromise, []byte, error) {
	var promise SignedPromise
	refuse := func(why string) (SignedPromise, []byte, error) {
		return SignedPromise{}, nil, malformed("The promise's %s.", why)
	}
	if !isShortText(members["log"], &promise.Log) || !isShortText(members["proofId"], &promise.ProofID) {
		return refuse("log or proofId is not a text")
	}
	if _, isHash := strictHash(members["recordDigest"]); !isHash {
		return refuse("recordDigest is not 64 lower-case hex digits")
	}
	if !isTime(members["issuedAt"]) || !isTime(members["deadline"]) {
		return refuse("issuedAt or deadline is not a time")
	}
	if !isText(members["keyId"], &promise.KeyID) || !thumbprintPattern.MatchString(promise.KeyID) {
		return refuse("keyId is not a key thumbprint")
	}
	encoded, _ := members["signature"].(string)
	signature, isBase64 := strictBase64(encoded)
	if !isBase64 || len(signature) != ed25519.SignatureSize {
		return refuse("signature is not 64 bytes in base64")
	}
	isText(members["recordDigest"], &promise.RecordDigest)
	isText(members["issuedAt"], &promise.IssuedAt)
	isText(members["deadline"], &promise.Deadline)
	return promise, signature, nil
}

func isShortText(value any, target *string) bool {
	return isText(value, target) && *target != "" && utf16Length(*target) <= maxPromiseText
}
