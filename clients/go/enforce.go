package custos

import (
	"context"
	"errors"
)

// The verdicts of a decision.
const (
	VerdictAllow    = "ALLOW"
	VerdictDeny     = "DENY"
	VerdictEscalate = "ESCALATE"
	VerdictDegrade  = "DEGRADE"
)

// EnforceService decides.
type EnforceService struct{ service }

// Evaluate asks for a decision on record. Act only when Allowed is true and you keep all Obligations; Guard does both.
func (s EnforceService) Evaluate(ctx context.Context, body EnforceRequest) (*Decision, error) {
	if body.DryRun != nil && *body.DryRun {
		return nil, errors.New("custos: a dry run is no decision: use DryRun")
	}
	return get[Decision](ctx, s.transport, request{operation: "POST /v1/enforce", body: body})
}

// DryRun tells what the decision would be. It permits nothing.
func (s EnforceService) DryRun(ctx context.Context, body EnforceRequest) (*DryRun, error) {
	body.DryRun = Ptr(true)
	return get[DryRun](ctx, s.transport, request{operation: "POST /v1/enforce", body: body})
}

// EvaluateBatch asks for up to 100 decisions; each is a Decision, a DryRun or an Error, in the order of the requests.
func (s EnforceService) EvaluateBatch(ctx context.Context, requests []EnforceRequest) (*EnforceBatchResponse, error) {
	r := request{operation: "POST /v1/enforce/batch", body: EnforceBatchRequest{Requests: requests}}
	out, got, err := getAnswer[EnforceBatchResponse](ctx, s.transport, r)
	if err == nil && len(out.Decisions) != len(requests) {
		return nil, got.unexpected("it has another number of decisions than there were requests")
	}
	return out, err
}

// DecisionsService reads decisions on record, and reports their outcomes.
type DecisionsService struct{ service }

// Get returns a decision and whether it still stands.
func (s DecisionsService) Get(ctx context.Context, id string) (*DecisionOnRecord, error) {
	return get[DecisionOnRecord](ctx, s.transport, request{operation: "GET /v1/decisions/{id}", path: []string{id}})
}

// List returns one page, newest first.
func (s DecisionsService) List(ctx context.Context, query DecisionsQuery) (*DecisionList, error) {
	return get[DecisionList](ctx, s.transport, request{operation: "GET /v1/decisions", query: query})
}

// ReportOutcome tells what became of a permitted action; "not_carried_out" gives its budgets back.
func (s DecisionsService) ReportOutcome(ctx context.Context, id string, body OutcomeRequest) (*OutcomeAnswer, error) {
	r := request{operation: "POST /v1/decisions/{id}/outcome", path: []string{id}, body: body}
	return get[OutcomeAnswer](ctx, s.transport, r)
}

// All goes through all pages.
func (s DecisionsService) All(ctx context.Context, query DecisionsQuery) *Iterator[DecisionOnRecord] {
	fetch := func(ctx context.Context, cursor string) (*DecisionList, error) {
		query.Cursor = cursor
		return s.List(ctx, query)
	}
	return iterate(ctx, query.Cursor, fetch, func(page *DecisionList) ([]DecisionOnRecord, *string) { return page.Items, page.NextCursor })
}
