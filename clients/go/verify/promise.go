package verify

import (
	"crypto/ed25519"
	"fmt"
	"regexp"

	"github.com/custos/custos-go/internal/strictjson"
)

const (
	promisePrefix  = "custos-promise-v1\n"
	batchPrefix    = "custos-promise-batch-v1\n"
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

// promiseBatch is the place of a promise among those that were signed together.
type promiseBatch struct {
	size, index int64
	path        [][]byte
}

// signedWith returns what was signed if the message is that of the promise; false when the path does not fit.
func (b promiseBatch) signedWith(message []byte) ([]byte, bool) {
	root, fits := rootOfPath(b.index, b.size, hashLeaf(message), b.path)
	if !fits {
		return nil, false
	}
	return fmt.Appendf(nil, "%s{\"root\":\"%x\",\"size\":%d}", batchPrefix, root, b.size), true
}

// Promise verifies the signature of a promise, which is its own or that of its batch. The text is the promise itself, or the answer that contains it.
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
	evidence := "signature"
	if given, isObject := value.(map[string]any); isObject {
		if _, isBatch := given["batch"]; isBatch {
			evidence = "batch"
		}
	}
	members, err := exactMembers(value, "The promise",
		"log", "proofId", "recordDigest", "issuedAt", "deadline", "keyId", evidence)
	if err != nil {
		return nil, err
	}
	promise, err := readPromise(members)
	if err != nil {
		return nil, err
	}
	batch, signature, err := readEvidence(members)
	if err != nil {
		return nil, err
	}
	for _, key := range trusted {
		if !key.IsPromise || key.Origin != promise.Log || key.ID != promise.KeyID {
			continue
		}
		delete(members, evidence)
		claims, err := strictjson.Canonical(members)
		if err != nil {
			return nil, malformed("The promise has no canonical form: %s.", err)
		}
		message, fits := append([]byte(promisePrefix), claims...), true
		if batch != nil {
			message, fits = batch.signedWith(message)
		}
		if !fits || !ed25519.Verify(key.Public, message, signature) {
			return nil, failed(PromiseSignature, "The signature does not fit the promise: one of them was changed.")
		}
		return &promise, nil
	}
	return nil, failed(KeyNotOfLog, "None of the promise keys of %s that are trusted is %s.", quoted(promise.Log), promise.KeyID)
}

// readEvidence reads the signature, and the batch that it is of, if any.
func readEvidence(members map[string]any) (*promiseBatch, []byte, error) {
	value, isBatch := members["batch"]
	if !isBatch {
		signature, err := signatureOf(members["signature"])
		return nil, signature, err
	}
	given, err := exactMembers(value, "The promise's batch", "size", "index", "path", "signature")
	if err != nil {
		return nil, nil, err
	}
	var batch promiseBatch
	var isSize, isIndex bool
	batch.size, isSize = countOf(given["size"])
	batch.index, isIndex = countOf(given["index"])
	// A promise that was signed alone has no batch.
	if !isSize || batch.size < 2 || !isIndex {
		return nil, nil, malformed("The size or index of the promise's batch is not in its form.")
	}
	hashes, isList := given["path"].([]any)
	if !isList || len(hashes) > maxPath {
		return nil, nil, malformed("The path of the promise's batch is not a list of at most %d hashes.", maxPath)
	}
	for _, one := range hashes {
		hash, isHash := strictHash(one)
		if !isHash {
			return nil, nil, malformed("The path of the promise's batch is not a list of hashes in lower-case hex.")
		}
		batch.path = append(batch.path, hash)
	}
	signature, err := signatureOf(given["signature"])
	return &batch, signature, err
}

func signatureOf(value any) ([]byte, error) {
	encoded, _ := value.(string)
	signature, isBase64 := strictBase64(encoded)
	if !isBase64 || len(signature) != ed25519.SignatureSize {
		return nil, malformed("The promise's signature is not 64 bytes in base64.")
	}
	return signature, nil
}

func readPromise(members map[string]any) (SignedPromise, error) {
	var promise SignedPromise
	refuse := func(why string) (SignedPromise, error) {
		return SignedPromise{}, malformed("The promise's %s.", why)
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
	isText(members["recordDigest"], &promise.RecordDigest)
	isText(members["issuedAt"], &promise.IssuedAt)
	isText(members["deadline"], &promise.Deadline)
	return promise, nil
}

func isShortText(value any, target *string) bool {
	return isText(value, target) && *target != "" && utf16Length(*target) <= maxPromiseText
}
