package custos

import "context"

// WebhooksService manages the HTTP endpoints that receive events.
type WebhooksService struct{ service }

// Create makes a webhook. Only this answer has its secret.
func (s WebhooksService) Create(ctx context.Context, body WebhookCreate) (*WebhookWithSecret, error) {
	return get[WebhookWithSecret](ctx, s.transport, request{operation: "POST /v1/webhooks", body: body})
}

// List returns all webhooks of the environment: they are few.
func (s WebhooksService) List(ctx context.Context) (*WebhookList, error) {
	return get[WebhookList](ctx, s.transport, request{operation: "GET /v1/webhooks"})
}

// Update changes the members that are set; it also disables and enables a webhook.
func (s WebhooksService) Update(ctx context.Context, webhookID string, body WebhookUpdate) (*Webhook, error) {
	r := request{operation: "PATCH /v1/webhooks/{webhookId}", path: []string{webhookID}, body: body}
	return get[Webhook](ctx, s.transport, r)
}

// Remove deletes a webhook. Messages that wait are not sent.
func (s WebhooksService) Remove(ctx context.Context, webhookID string) (*Webhook, error) {
	return get[Webhook](ctx, s.transport, request{operation: "DELETE /v1/webhooks/{webhookId}", path: []string{webhookID}})
}

// Rotate replaces the signing key. Only this answer has the secret.
func (s WebhooksService) Rotate(ctx context.Context, webhookID string, body WebhookRotate) (*WebhookWithSecret, error) {
	r := request{operation: "POST /v1/webhooks/{webhookId}/rotate", path: []string{webhookID}, body: body}
	return get[WebhookWithSecret](ctx, s.transport, r)
}

// Deliveries returns one page, newest first.
func (s WebhooksService) Deliveries(ctx context.Context, webhookID string, query WebhooksDeliveriesQuery) (*WebhookDeliveryList, error) {
	r := request{operation: "GET /v1/webhooks/{webhookId}/deliveries", path: []string{webhookID}, query: query}
	return get[WebhookDeliveryList](ctx, s.transport, r)
}

// AllDeliveries goes through all pages.
func (s WebhooksService) AllDeliveries(ctx context.Context, webhookID string, query WebhooksDeliveriesQuery) *Iterator[WebhookDelivery] {
	fetch := func(ctx context.Context, cursor string) (*WebhookDeliveryList, error) {
		query.Cursor = cursor
		return s.Deliveries(ctx, webhookID, query)
	}
	return iterate(ctx, query.Cursor, fetch, func(page *WebhookDeliveryList) ([]WebhookDelivery, *string) {
		return page.Items, page.NextCursor
	})
}

// ReplayDelivery sends a message again, under the same webhook-id.
func (s WebhooksService) ReplayDelivery(ctx context.Context, webhookID, deliveryID string) (*WebhookDelivery, error) {
	r := request{
		operation: "POST /v1/webhooks/{webhookId}/deliveries/{deliveryId}/replay",
		path:      []string{webhookID, deliveryID},
	}
	return get[WebhookDelivery](ctx, s.transport, r)
}
