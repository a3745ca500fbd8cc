package verify

import (
	"sort"
	"strings"
)

// VerifiedChain is an unbroken sequence of one entity's records.
type VerifiedChain struct {
	// Receipts in the order of the chain.
	Receipts []*VerifiedReceipt
	// IsFromTheStart tells whether the first of them is the entity's first record.
	IsFromTheStart bool
}

var noPrevious = strings.Repeat("0", 64)

// Chain verifies that receipts, given in any order, are consecutive records of one entity in one log: each refers to the event hash of
// the one before.
func Chain(texts [][]byte, trusted []Key) (*VerifiedChain, error) {
	parsed := make([]receipt, len(texts))
	for i, text := range texts {
		var err error
		if parsed[i], err = parseReceipt(text); err != nil {
			return nil, err
		}
	}
	receipts := make([]*VerifiedReceipt, len(parsed))
	for i, one := range parsed {
		var err error
		if receipts[i], err = one.verify(trusted); err != nil {
			return nil, err
		}
	}
	sort.SliceStable(receipts, func(i, j int) bool { return receipts[i].Index < receipts[j].Index })
	for i := 1; i < len(receipts); i++ {
		if why := brokenLink(receipts[i-1], receipts[i]); why != "" {
			return nil, failed(ChainBroken, "%s does not follow %s: %s.", quoted(receipts[i].ProofID), quoted(receipts[i-1].ProofID), why)
		}
	}
	isFromTheStart := len(receipts) > 0 && receipts[0].Record.PreviousHash == noPrevious
	return &VerifiedChain{Receipts: receipts, IsFromTheStart: isFromTheStart}, nil
}

// brokenLink explains why a record does not follow another; it returns "" for a sound link.
func brokenLink(before, after *VerifiedReceipt) string {
	switch {
	case before.Origin != after.Origin:
		return "they are in two logs"
	case before.Record.AgentID != after.Record.AgentID:
		return "they are about two entities"
	case before.Index == after.Index:
		return "they are the same record"
	case after.Record.PreviousHash == noPrevious:
		return "it is the first of its chain"
	case after.Record.PreviousHash != before.EventHash:
		return "it names another record as the one before; one between them is missing, or the chain was altered"
	}
	return ""
}
