package custos

import "context"

// ResourcesService registers resources with their attributes.
type ResourcesService struct{ service }

// Put registers a resource or a pattern such as db/customers/*, or replaces what is registered.
func (s ResourcesService) Put(ctx context.Context, name string, body ResourcePut) (*Resource, error) {
	r := request{operation: "PUT /v1/resources/{name}", path: []string{name}, body: body}
	return get[Resource](ctx, s.transport, r)
}

// Get returns the entry with exactly this name.
func (s ResourcesService) Get(ctx context.Context, name string) (*Resource, error) {
	return get[Resource](ctx, s.transport, request{operation: "GET /v1/resources/{name}", path: []string{name}})
}

// List returns one page, by name.
func (s ResourcesService) List(ctx context.Context, query ResourcesQuery) (*ResourceList, error) {
	return get[ResourceList](ctx, s.transport, request{operation: "GET /v1/resources", query: query})
}

// All goes through all pages.
func (s ResourcesService) All(ctx context.Context, query ResourcesQuery) *Iterator[Resource] {
	fetch := func(ctx context.Context, cursor string) (*ResourceList, error) {
		query.Cursor = cursor
		return s.List(ctx, query)
	}
	return iterate(ctx, query.Cursor, fetch, func(page *ResourceList) ([]Resource, *string) { return page.Items, page.NextCursor })
}

// Remove removes a registered resource.
func (s ResourcesService) Remove(ctx context.Context, name string) (*Resource, error) {
	return get[Resource](ctx, s.transport, request{operation: "DELETE /v1/resources/{name}", path: []string{name}})
}
