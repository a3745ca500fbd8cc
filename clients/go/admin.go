package custos

import "context"

// KeysService manages API keys.
type KeysService struct{ service }

// Create makes a key. The answer is the only one that shows it. A retry after a lost answer does not repeat the key; see Key.
func (s KeysService) Create(ctx context.Context, body KeyCreate) (*KeyCreated, error) {
	return get[KeyCreated](ctx, s.transport, request{operation: "POST /v1/auth/keys", body: body})
}

// List returns one page, without the keys themselves.
func (s KeysService) List(ctx context.Context, query AuthKeysQuery) (*KeyList, error) {
	return get[KeyList](ctx, s.transport, request{operation: "GET /v1/auth/keys", query: query})
}

// All goes through all pages.
func (s KeysService) All(ctx context.Context, query AuthKeysQuery) *Iterator[Key] {
	fetch := func(ctx context.Context, cursor string) (*KeyList, error) {
		query.Cursor = cursor
		return s.List(ctx, query)
	}
	return iterate(ctx, query.Cursor, fetch, func(page *KeyList) ([]Key, *string) { return page.Items, page.NextCursor })
}

// Revoke ends a key at once.
func (s KeysService) Revoke(ctx context.Context, keyID string) (*Key, error) {
	return get[Key](ctx, s.transport, request{operation: "DELETE /v1/auth/keys/{keyId}", path: []string{keyID}})
}

// Rotate replaces a key; the old one stays valid for a while.
func (s KeysService) Rotate(ctx context.Context, keyID string, body KeyRotate) (*KeyRotated, error) {
	r := request{operation: "POST /v1/auth/keys/{keyId}/rotate", path: []string{keyID}, body: body}
	return get[KeyRotated](ctx, s.transport, r)
}

// PoliciesService reads, tests and changes policies.
type PoliciesService struct{ service }

// Active returns the policy set that decides now.
func (s PoliciesService) Active(ctx context.Context) (*PolicySetStatus, error) {
	return get[PolicySetStatus](ctx, s.transport, request{operation: "GET /v1/policies"})
}

// Get returns a policy set that has decided before.
func (s PoliciesService) Get(ctx context.Context, digest string) (*StoredPolicySet, error) {
	return get[StoredPolicySet](ctx, s.transport, request{operation: "GET /v1/policies/{digest}", path: []string{digest}})
}

// Validate checks files without activating them.
func (s PoliciesService) Validate(ctx context.Context, body ValidatePoliciesRequest) (*ValidatePoliciesResponse, error) {
	return get[ValidatePoliciesResponse](ctx, s.transport, request{operation: "POST /v1/policies/validate", body: body})
}

// ReplayState is what Replay answers: a report at once, or a replay that runs in the background.
type ReplayState struct {
	Running *Replay       `variant:"replayId"`
	Report  *ReplayReport `variant:"transitions"`
}

// MarshalJSON writes the variant that is set.
func (s ReplayState) MarshalJSON() ([]byte, error) { return marshalVariant(s) }

// Replay decides past requests again with a draft, and tells what would change.
func (s PoliciesService) Replay(ctx context.Context, body ReplayRequest) (*ReplayState, error) {
	return get[ReplayState](ctx, s.transport, request{operation: "POST /v1/policies/replay", body: body})
}

// GetReplay returns a replay that runs in the background.
func (s PoliciesService) GetReplay(ctx context.Context, id string) (*Replay, error) {
	return get[Replay](ctx, s.transport, request{operation: "GET /v1/policies/replays/{id}", path: []string{id}})
}

// Shadow returns what the draft that runs beside the active policies would have decided.
func (s PoliciesService) Shadow(ctx context.Context) (*ShadowStatus, error) {
	return get[ShadowStatus](ctx, s.transport, request{operation: "GET /v1/policies/shadow"})
}

// ToolsService reads the catalogues of tools.
type ToolsService struct{ service }

// List returns one page.
func (s ToolsService) List(ctx context.Context, query ToolsQuery) (*ToolCatalogueList, error) {
	return get[ToolCatalogueList](ctx, s.transport, request{operation: "GET /v1/tools", query: query})
}

// Get returns the catalogue of one server.
func (s ToolsService) Get(ctx context.Context, server string) (*ToolCatalogue, error) {
	return get[ToolCatalogue](ctx, s.transport, request{operation: "GET /v1/tools/{server}", path: []string{server}})
}

// All goes through all pages.
func (s ToolsService) All(ctx context.Context, query ToolsQuery) *Iterator[ToolCatalogue] {
	fetch := func(ctx context.Context, cursor string) (*ToolCatalogueList, error) {
		query.Cursor = cursor
		return s.List(ctx, query)
	}
	return iterate(ctx, query.Cursor, fetch, func(page *ToolCatalogueList) ([]ToolCatalogue, *string) { return page.Items, page.NextCursor })
}

// HaltService stops all permissions of an environment.
type HaltService struct{ service }

// Set stops everything.
func (s HaltService) Set(ctx context.Context, body HaltRequest) (*HaltState, error) {
	return get[HaltState](ctx, s.transport, request{operation: "POST /v1/halt", body: body})
}

// Get returns whether everything is stopped.
func (s HaltService) Get(ctx context.Context) (*HaltState, error) {
	return get[HaltState](ctx, s.transport, request{operation: "GET /v1/halt"})
}

// Lift ends the stop. The body may have a reason.
func (s HaltService) Lift(ctx context.Context, body HaltLift) (*HaltState, error) {
	return get[HaltState](ctx, s.transport, request{operation: "DELETE /v1/halt", body: body})
}

// ReferenceService reads the lists that the service works with. They need no key.
type ReferenceService struct{ service }

// ReferenceList is a list without pages.
type ReferenceList[T any] struct {
	Items []T `json:"items"`
}

// Tiers returns the levels of trust.
func (s ReferenceService) Tiers(ctx context.Context) (*ReferenceList[ReferenceTier], error) {
	return get[ReferenceList[ReferenceTier]](ctx, s.transport, request{operation: "GET /v1/reference/tiers"})
}

// RateLimits returns the limits of each tier of keys.
func (s ReferenceService) RateLimits(ctx context.Context) (*ReferenceList[ReferenceRateLimit], error) {
	return get[ReferenceList[ReferenceRateLimit]](ctx, s.transport, request{operation: "GET /v1/reference/rate-limits"})
}

// Errors returns the codes of errors.
func (s ReferenceService) Errors(ctx context.Context) (*ReferenceList[ReferenceError], error) {
	return get[ReferenceList[ReferenceError]](ctx, s.transport, request{operation: "GET /v1/reference/errors"})
}

// Scopes returns what keys can be permitted to do.
func (s ReferenceService) Scopes(ctx context.Context) (*ReferenceList[ReferenceScope], error) {
	return get[ReferenceList[ReferenceScope]](ctx, s.transport, request{operation: "GET /v1/reference/scopes"})
}
