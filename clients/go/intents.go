package custos

import (
	"context"
	"time"
)

// IntentService reads texts in words.
type IntentService struct{ service }

// Parse tells what a text asks for, without deciding.
func (s IntentService) Parse(ctx context.Context, body IntentRequest) (*Intent, error) {
	return get[Intent](ctx, s.transport, request{operation: "POST /v1/intent", body: body})
}

// Get returns a parsed intent.
func (s IntentService) Get(ctx context.Context, id string) (*Intent, error) {
	return get[Intent](ctx, s.transport, request{operation: "GET /v1/intent/{id}", path: []string{id}})
}

// IntentsService submits intents, which are decided in the background.
type IntentsService struct{ service }

// Submit hands an intent over.
func (s IntentsService) Submit(ctx context.Context, body IntentSubmission) (*IntentAccepted, error) {
	return get[IntentAccepted](ctx, s.transport, request{operation: "POST /v1/intents", body: body})
}

// Get returns a submitted intent with its decision, once there is one.
func (s IntentsService) Get(ctx context.Context, id string) (*SubmittedIntent, error) {
	return get[SubmittedIntent](ctx, s.transport, request{operation: "GET /v1/intents/{id}", path: []string{id}})
}

// List returns one page, newest first.
func (s IntentsService) List(ctx context.Context, query IntentsQuery) (*SubmittedIntentList, error) {
	return get[SubmittedIntentList](ctx, s.transport, request{operation: "GET /v1/intents", query: query})
}

// All goes through all pages.
func (s IntentsService) All(ctx context.Context, query IntentsQuery) *Iterator[SubmittedIntent] {
	fetch := func(ctx context.Context, cursor string) (*SubmittedIntentList, error) {
		query.Cursor = cursor
		return s.List(ctx, query)
	}
	return iterate(ctx, query.Cursor, fetch, func(page *SubmittedIntentList) ([]SubmittedIntent, *string) { return page.Items, page.NextCursor })
}

// WaitDecided waits until an intent is decided or has failed. At the end of the timeout it returns a TimeoutError with the last state.
func (s IntentsService) WaitDecided(ctx context.Context, id string, timeout time.Duration) (*SubmittedIntent, error) {
	r := request{operation: "GET /v1/intents/{id}", path: []string{id}}
	return waitUntil(ctx, s.transport, r, timeout, func(i *SubmittedIntent) bool { return i.Status == "decided" || i.Status == "failed" })
}
