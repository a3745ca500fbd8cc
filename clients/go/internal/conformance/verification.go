package main

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/custos/custos-go/verify"
)

func runVerification(one line) (printed, error) {
	var c struct {
		Kind  string          `json:"kind"`
		Input json.RawMessage `json:"input"`
	}
	if err := json.Unmarshal(one.Case, &c); err != nil {
		return nil, err
	}
	var texts []string
	if c.Kind != "chain" {
		texts = make([]string, 1)
		if err := json.Unmarshal(c.Input, &texts[0]); err != nil {
			return nil, err
		}
	} else if err := json.Unmarshal(c.Input, &texts); err != nil {
		return nil, err
	}
	out, err := verified(c.Kind, texts, one.Keys)
	var failure *verify.Error
	if errors.As(err, &failure) {
		return printed{"ok": false, "failure": failure.Failure}, nil
	}
	return out, err
}

func verified(kind string, texts []string, keysText json.RawMessage) (printed, error) {
	keys, err := trustedKeys(keysText)
	if err != nil {
		return nil, err
	}
	switch kind {
	case "receipt", "tlog-proof":
		receipt, err := verify.Receipt([]byte(texts[0]), keys)
		if err != nil {
			return nil, err
		}
		return receiptMembers(receipt), nil
	case "promise":
		promise, err := verify.Promise([]byte(texts[0]), keys)
		if err != nil {
			return nil, err
		}
		return printed{"ok": true, "proofId": promise.ProofID, "origin": promise.Log, "keyId": promise.KeyID}, nil
	case "chain":
		return verifiedChain(texts, keys)
	}
	return nil, fmt.Errorf("unknown kind of evidence %q", kind)
}

func verifiedChain(texts []string, keys []verify.Key) (printed, error) {
	receipts := make([][]byte, len(texts))
	for i, text := range texts {
		receipts[i] = []byte(text)
	}
	chain, err := verify.Chain(receipts, keys)
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(chain.Receipts))
	for i, receipt := range chain.Receipts {
		ids[i] = receipt.ProofID
	}
	return printed{"ok": true, "proofIds": ids, "fromStart": chain.IsFromTheStart}, nil
}

func receiptMembers(r *verify.VerifiedReceipt) printed {
	return printed{
		"ok": true, "proofId": r.ProofID, "index": r.Index, "origin": r.Origin, "size": r.Size, "root": r.Root,
		"timeMs": r.Time.UnixMilli(), "keyId": r.KeyID, "eventHash": r.EventHash,
	}
}

// trustedKeys reads the text of a file with keys, or keys as JSON.
func trustedKeys(given json.RawMessage) ([]verify.Key, error) {
	var text string
	if json.Unmarshal(given, &text) == nil {
		return verify.ParseKeys([]byte(text))
	}
	return verify.ParseKeys(given)
}
