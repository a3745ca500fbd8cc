package custos

import "context"

// AgentsService registers agents.
type AgentsService struct{ service }

// Create registers an agent.
func (s AgentsService) Create(ctx context.Context, body AgentCreate) (*Agent, error) {
	return get[Agent](ctx, s.transport, request{operation: "POST /v1/agents", body: body})
}

// Get returns an agent with its trust.
func (s AgentsService) Get(ctx context.Context, id string) (*Agent, error) {
	return get[Agent](ctx, s.transport, request{operation: "GET /v1/agents/{agentId}", path: []string{id}})
}

// List returns one page.
func (s AgentsService) List(ctx context.Context, query AgentsQuery) (*AgentList, error) {
	return get[AgentList](ctx, s.transport, request{operation: "GET /v1/agents", query: query})
}

// All goes through all pages.
func (s AgentsService) All(ctx context.Context, query AgentsQuery) *Iterator[Agent] {
	fetch := func(ctx context.Context, cursor string) (*AgentList, error) {
		query.Cursor = cursor
		return s.List(ctx, query)
	}
	return iterate(ctx, query.Cursor, fetch, func(page *AgentList) ([]Agent, *string) { return page.Items, page.NextCursor })
}

// Update changes the members that are set. It is not repeated when the connection breaks.
func (s AgentsService) Update(ctx context.Context, id string, body AgentUpdate) (*Agent, error) {
	r := request{operation: "PATCH /v1/agents/{agentId}", path: []string{id}, body: body}
	return get[Agent](ctx, s.transport, r)
}

// Terminate ends an agent for good.
func (s AgentsService) Terminate(ctx context.Context, id string) (*Agent, error) {
	return get[Agent](ctx, s.transport, request{operation: "DELETE /v1/agents/{agentId}", path: []string{id}})
}

// TrustService takes signals and reads trust.
type TrustService struct{ service }

// Signal reports one observation of an agent.
func (s TrustService) Signal(ctx context.Context, signal TrustSignal) (*TrustSignalsAccepted, error) {
	return s.send(ctx, TrustSignalsRequest{TrustSignal: &signal})
}

// Signals reports several observations at once.
func (s TrustService) Signals(ctx context.Context, signals []TrustSignal) (*TrustSignalsAccepted, error) {
	return s.send(ctx, TrustSignalsRequest{TrustSignalBatch: &TrustSignalBatch{Signals: signals}})
}

func (s TrustService) send(ctx context.Context, body TrustSignalsRequest) (*TrustSignalsAccepted, error) {
	return get[TrustSignalsAccepted](ctx, s.transport, request{operation: "POST /v1/trust/signals", body: body})
}

// Get returns the trust of an agent, now or at a time.
func (s TrustService) Get(ctx context.Context, agentID string, query TrustQuery) (*Trust, error) {
	r := request{operation: "GET /v1/trust/{agentId}", path: []string{agentID}, query: query}
	return get[Trust](ctx, s.transport, r)
}

// History returns one page of the changes of an agent's trust.
func (s TrustService) History(ctx context.Context, agentID string, query TrustHistoryQuery) (*TrustHistory, error) {
	r := request{operation: "GET /v1/trust/{agentId}/history", path: []string{agentID}, query: query}
	return get[TrustHistory](ctx, s.transport, r)
}

// AllHistory goes through all changes.
func (s TrustService) AllHistory(ctx context.Context, agentID string, query TrustHistoryQuery) *Iterator[TrustChange] {
	fetch := func(ctx context.Context, cursor string) (*TrustHistory, error) {
		query.Cursor = cursor
		return s.History(ctx, agentID, query)
	}
	return iterate(ctx, query.Cursor, fetch, func(page *TrustHistory) ([]TrustChange, *string) { return page.Items, page.NextCursor })
}
