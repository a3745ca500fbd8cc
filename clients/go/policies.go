package custos

import "context"

// Push puts a policy set into force, or the organisation's own policies. Where changes need an approval, the set waits for it.
func (s PoliciesService) Push(ctx context.Context, body PushPoliciesRequest) (*PolicyChangeResult, error) {
	return get[PolicyChangeResult](ctx, s.transport, request{operation: "POST /v1/policies", body: body})
}

// Rollback puts a stored policy set into force again.
func (s PoliciesService) Rollback(ctx context.Context, body RollBackPoliciesRequest) (*PolicyChangeResult, error) {
	return get[PolicyChangeResult](ctx, s.transport, request{operation: "POST /v1/policies/rollback", body: body})
}

// FollowFolder puts the set of the policy folder into force, and its later edits.
func (s PoliciesService) FollowFolder(ctx context.Context, body FollowFolderRequest) (*PolicyChangeResult, error) {
	return get[PolicyChangeResult](ctx, s.transport, request{operation: "POST /v1/policies/follow-folder", body: body})
}

// Promote puts a staged set into force for all organisations.
func (s PoliciesService) Promote(ctx context.Context, body PromotePoliciesRequest) (*PolicyChangeResult, error) {
	return get[PolicyChangeResult](ctx, s.transport, request{operation: "POST /v1/policies/promote", body: body})
}

// DropStage drops a stage: its organisations get the set that is in force for all.
func (s PoliciesService) DropStage(ctx context.Context, digest string, body DropStageRequest) (*PolicyChangeResult, error) {
	r := request{operation: "DELETE /v1/policies/stages/{digest}", path: []string{digest}, body: body}
	return get[PolicyChangeResult](ctx, s.transport, r)
}

// Withdraw removes the organisation's own policies.
func (s PoliciesService) Withdraw(ctx context.Context, body WithdrawPoliciesRequest) (*PolicyChangeResult, error) {
	return get[PolicyChangeResult](ctx, s.transport, request{operation: "DELETE /v1/policies", body: body})
}

// Difference compares two stored policy sets.
func (s PoliciesService) Difference(ctx context.Context, query PoliciesDifferenceQuery) (*PolicyComparison, error) {
	return get[PolicyComparison](ctx, s.transport, request{operation: "GET /v1/policies/difference", query: query})
}

// Stages returns the staged sets, with what shares in shadow have shown.
func (s PoliciesService) Stages(ctx context.Context) (*PolicyStageList, error) {
	return get[PolicyStageList](ctx, s.transport, request{operation: "GET /v1/policies/stages"})
}

// Activations returns one page of the history of policy sets, newest first.
func (s PoliciesService) Activations(ctx context.Context, query PoliciesActivationsQuery) (*PolicyActivationList, error) {
	return get[PolicyActivationList](ctx, s.transport, request{operation: "GET /v1/policies/activations", query: query})
}

// AllActivations goes through all pages.
func (s PoliciesService) AllActivations(ctx context.Context, query PoliciesActivationsQuery) *Iterator[PolicyActivation] {
	fetch := func(ctx context.Context, cursor string) (*PolicyActivationList, error) {
		query.Cursor = cursor
		return s.Activations(ctx, query)
	}
	return iterate(ctx, query.Cursor, fetch, func(page *PolicyActivationList) ([]PolicyActivation, *string) { return page.Items, page.NextCursor })
}

// Approvals returns one page of the changes that needed approval, newest first.
func (s PoliciesService) Approvals(ctx context.Context, query PoliciesApprovalsQuery) (*PolicyApprovalList, error) {
	return get[PolicyApprovalList](ctx, s.transport, request{operation: "GET /v1/policies/approvals", query: query})
}

// AllApprovals goes through all pages.
func (s PoliciesService) AllApprovals(ctx context.Context, query PoliciesApprovalsQuery) *Iterator[PolicyApproval] {
	fetch := func(ctx context.Context, cursor string) (*PolicyApprovalList, error) {
		query.Cursor = cursor
		return s.Approvals(ctx, query)
	}
	return iterate(ctx, query.Cursor, fetch, func(page *PolicyApprovalList) ([]PolicyApproval, *string) { return page.Items, page.NextCursor })
}

// GetApproval returns one change with its difference.
func (s PoliciesService) GetApproval(ctx context.Context, approvalID string) (*PolicyApprovalDetail, error) {
	r := request{operation: "GET /v1/policies/approvals/{approvalId}", path: []string{approvalID}}
	return get[PolicyApprovalDetail](ctx, s.transport, r)
}

// Approve puts a change into force. The key that proposed it can not approve it.
func (s PoliciesService) Approve(ctx context.Context, approvalID string, body ApprovalVerdict) (*PolicyApproval, error) {
	r := request{operation: "POST /v1/policies/approvals/{approvalId}/approve", path: []string{approvalID}, body: body}
	return get[PolicyApproval](ctx, s.transport, r)
}

// Reject refuses a change.
func (s PoliciesService) Reject(ctx context.Context, approvalID string, body ApprovalVerdict) (*PolicyApproval, error) {
	r := request{operation: "POST /v1/policies/approvals/{approvalId}/reject", path: []string{approvalID}, body: body}
	return get[PolicyApproval](ctx, s.transport, r)
}
