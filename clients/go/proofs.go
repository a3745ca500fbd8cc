package custos

import (
	"context"
	"encoding/json"
	"errors"
	"time"
)

// ProofsService writes and reads records of the log.
type ProofsService struct{ service }

// ProofState is a proof as GET /v1/proofs/{id} answers it: the receipt once it is anchored, before that the promise.
type ProofState struct {
	Receipt *Receipt       `variant:"record"`
	Pending *ProofAccepted `variant:"promise"`
}

// Text is the receipt as JSON, for verify.Receipt and for keeping.
func (s *ProofState) Text() ([]byte, error) {
	if s.Receipt == nil {
		return nil, errors.New("custos: the proof is not anchored yet")
	}
	return json.Marshal(s.Receipt)
}

// MarshalJSON writes the variant that is set.
func (s ProofState) MarshalJSON() ([]byte, error) { return marshalVariant(s) }

// Create records an event. The answer holds the log's signed promise.
func (s ProofsService) Create(ctx context.Context, body ProofCreate) (*ProofAccepted, error) {
	return get[ProofAccepted](ctx, s.transport, request{operation: "POST /v1/proofs", body: body})
}

// CreateBatch records several events, all or none.
func (s ProofsService) CreateBatch(ctx context.Context, proofs []ProofCreate) (*ProofBatchAccepted, error) {
	r := request{operation: "POST /v1/proofs/batch", body: ProofBatchCreate{Proofs: proofs}}
	return get[ProofBatchAccepted](ctx, s.transport, r)
}

// Get returns the receipt, or the promise of a proof that is not anchored yet.
func (s ProofsService) Get(ctx context.Context, id string) (*ProofState, error) {
	return get[ProofState](ctx, s.transport, proofRequest(id))
}

// List returns one page, newest first.
func (s ProofsService) List(ctx context.Context, query ProofsQuery) (*ProofList, error) {
	return get[ProofList](ctx, s.transport, request{operation: "GET /v1/proofs", query: query})
}

// All goes through all pages.
func (s ProofsService) All(ctx context.Context, query ProofsQuery) *Iterator[ProofListItem] {
	fetch := func(ctx context.Context, cursor string) (*ProofList, error) {
		query.Cursor = cursor
		return s.List(ctx, query)
	}
	return iterate(ctx, query.Cursor, fetch, func(page *ProofList) ([]ProofListItem, *string) { return page.Items, page.NextCursor })
}

// Chain returns one page of the records of an entity, oldest first, with the head of its chain.
func (s ProofsService) Chain(ctx context.Context, entityID string, query ProofsChainQuery) (*ProofChain, error) {
	r := request{operation: "GET /v1/proofs/chain/{entityId}", path: []string{entityID}, query: query}
	return get[ProofChain](ctx, s.transport, r)
}

// AllOfChain goes through all records of an entity.
func (s ProofsService) AllOfChain(ctx context.Context, entityID string, query ProofsChainQuery) *Iterator[Proof] {
	fetch := func(ctx context.Context, cursor string) (*ProofChain, error) {
		query.Cursor = cursor
		return s.Chain(ctx, entityID, query)
	}
	return iterate(ctx, query.Cursor, fetch, func(page *ProofChain) ([]Proof, *string) { return page.Items, page.NextCursor })
}

// Verify lets the service verify the JSON of a receipt. To trust nobody but the log's keys, use verify.Receipt.
func (s ProofsService) Verify(ctx context.Context, receipt json.RawMessage) (*Verification, error) {
	return get[Verification](ctx, s.transport, request{operation: "POST /v1/proofs/verify", body: receipt})
}

// WaitAnchored waits until a proof is in a signed tree. At the end of the timeout it returns a TimeoutError with the last state.
func (s ProofsService) WaitAnchored(ctx context.Context, id string, timeout time.Duration) (*ProofState, error) {
	return waitUntil(ctx, s.transport, proofRequest(id), timeout, func(proof *ProofState) bool { return proof.Receipt != nil })
}

func proofRequest(id string) request {
	return request{operation: "GET /v1/proofs/{id}", path: []string{id}}
}
