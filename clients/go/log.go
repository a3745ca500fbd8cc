package custos

import (
	"context"
	"encoding/json"

	"github.com/custos/custos-go/verify"
)

// LogService reads the Merkle log.
type LogService struct{ service }

// Checkpoint returns the newest signed tree head, as the text of a note.
func (s LogService) Checkpoint(ctx context.Context) (string, error) {
	got, err := s.transport.send(ctx, request{operation: "GET /v1/log/checkpoint", isText: true})
	if err != nil {
		return "", err
	}
	return string(got.text), nil
}

// Checkpoints returns one page of signed tree heads.
func (s LogService) Checkpoints(ctx context.Context, query LogCheckpointsQuery) (*CheckpointList, error) {
	return get[CheckpointList](ctx, s.transport, request{operation: "GET /v1/log/checkpoints", query: query})
}

// AllCheckpoints goes through all pages.
func (s LogService) AllCheckpoints(ctx context.Context, query LogCheckpointsQuery) *Iterator[Checkpoint] {
	fetch := func(ctx context.Context, cursor string) (*CheckpointList, error) {
		query.Cursor = cursor
		return s.Checkpoints(ctx, query)
	}
	return iterate(ctx, query.Cursor, fetch, func(page *CheckpointList) ([]Checkpoint, *string) { return page.Items, page.NextCursor })
}

// Keys returns the public keys of the log.
func (s LogService) Keys(ctx context.Context) (*LogKeys, error) {
	return get[LogKeys](ctx, s.transport, request{operation: "GET /v1/log/keys"})
}

// TrustedKeys returns the public keys of the log for the package verify. An auditor keeps them, instead of asking for them each time:
// keys that come from the service together with a receipt prove nothing.
func (s LogService) TrustedKeys(ctx context.Context) ([]verify.Key, error) {
	keys, err := s.Keys(ctx)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(keys)
	if err != nil {
		return nil, err
	}
	return verify.ParseKeys(text)
}

// Consistency returns the path from an older tree to a newer one.
func (s LogService) Consistency(ctx context.Context, query LogConsistencyQuery) (*Consistency, error) {
	return get[Consistency](ctx, s.transport, request{operation: "GET /v1/log/consistency", query: query})
}

// Leaves returns leaf hashes.
func (s LogService) Leaves(ctx context.Context, query LogLeavesQuery) (*LeafHashes, error) {
	return get[LeafHashes](ctx, s.transport, request{operation: "GET /v1/log/leaves", query: query})
}

// JWKS returns the public keys as JSON Web Keys.
func (s LogService) JWKS(ctx context.Context) (*Jwks, error) {
	return get[Jwks](ctx, s.transport, request{operation: "GET /.well-known/jwks.json"})
}
