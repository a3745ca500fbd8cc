// Code generated from docs/openapi.json by "npm run generate". DO NOT EDIT.

package custos

// AgentAttributesIgnored is part of the API's requests or answers.
type AgentAttributesIgnored struct {
	// The attribute.
	Name string `json:"name"`
	// How it contradicts its declaration.
	Message string `json:"message"`
}

// Agent is part of the API's requests or answers.
type Agent struct {
	// Names it, for ever.
	AgentID string `json:"agentId"`
	// For people.
	Name        string  `json:"name"`
	Description *string `json:"description"`
	// What it is made for; a fact for policies.
	Capabilities []string `json:"capabilities"`
	// Words of your own; a fact for policies.
	Tags []string `json:"tags"`
	// Facts `agent.attributes.<name>` of policies, declared with their types in attributes.json of the set.
	Attributes map[string]any `json:"attributes"`
	// Attributes that contradict the declarations of the policy set in force: rules count them as missing. Absent: none.
	AttributesIgnored []AgentAttributesIgnored `json:"attributesIgnored,omitempty"`
	Metadata          map[string]any           `json:"metadata"`
	// ACTIVE and PAUSED change into each other, both into SUSPENDED and back, and each into TERMINATED, which is final. Agents that are not ACTIVE are denied.
	// One of: ACTIVE, PAUSED, SUSPENDED, TERMINATED.
	Status string       `json:"status"`
	Trust  TrustSummary `json:"trust"`
	// RFC 3339, UTC, milliseconds.
	CreatedAt string `json:"createdAt"`
	// RFC 3339, UTC, milliseconds.
	UpdatedAt string `json:"updatedAt"`
}

// AgentCreate is part of the API's requests or answers.
type AgentCreate struct {
	// 1 to 256 characters, no control characters, not "." or "..", not beginning with "custos:".
	AgentID *string `json:"agentId,omitempty"`
	// For people.
	Name string `json:"name"`
	// What it does, for people.
	Description *string `json:"description,omitempty"`
	// What it is made for; a fact for policies.
	Capabilities []string `json:"capabilities,omitempty"`
	// Words of your own; a fact for policies.
	Tags []string `json:"tags,omitempty"`
	// Facts `agent.attributes.<name>` of policies, declared with their types in attributes.json of the set.
	Attributes map[string]any `json:"attributes,omitempty"`
	// An object of your own, at most 16 kB of JSON; returned unchanged.
	Metadata map[string]any `json:"metadata,omitempty"`
}

// AgentList is part of the API's requests or answers.
type AgentList struct {
	// One page of them.
	Items      []Agent `json:"items"`
	NextCursor *string `json:"nextCursor"`
}

// AgentUpdate is part of the API's requests or answers.
type AgentUpdate struct {
	// For people.
	Name        *string           `json:"name,omitempty"`
	Description *Nullable[string] `json:"description,omitempty"`
	// What it is made for; a fact for policies.
	Capabilities []string `json:"capabilities,omitempty"`
	// Words of your own; a fact for policies.
	Tags []string `json:"tags,omitempty"`
	// Facts `agent.attributes.<name>` of policies, declared with their types in attributes.json of the set.
	Attributes map[string]any            `json:"attributes,omitempty"`
	Metadata   *Nullable[map[string]any] `json:"metadata,omitempty"`
	// ACTIVE and PAUSED change into each other, both into SUSPENDED and back, and each into TERMINATED, which is final. Agents that are not ACTIVE are denied.
	// One of: ACTIVE, PAUSED, SUSPENDED, TERMINATED.
	Status *string `json:"status,omitempty"`
	// Why the status changes; only together with `status`. Stored in the log permanently, on the chain of the agent.
	Reason *string `json:"reason,omitempty"`
}

// Approval is part of the API's requests or answers.
type Approval struct {
	Requested *Requested `json:"requested"`
	// Names it.
	ApprovalID string `json:"approvalId"`
	// pending; approved: may be used once; rejected, or withdrawn; used; expired: not decided or not used in time.
	// One of: pending, approved, rejected, expired, used.
	Status string `json:"status"`
	// The agent.
	AgentID string `json:"agentId"`
	// The key that asked. It may not decide, nor may a key that it created or that created it.
	KeyID string `json:"keyId"`
	// What it is bound to: SHA-256, lower-case hex, of the canonical JSON (RFC 8785) of `bound`, which GET /v1/approvals/{id} shows, with secrets in the arguments of a tool call masked.
	Digest   string  `json:"digest"`
	IntentID *string `json:"intentId"`
	// RFC 3339, UTC, milliseconds.
	CreatedAt string `json:"createdAt"`
	// RFC 3339, UTC, milliseconds.
	ExpiresAt      string           `json:"expiresAt"`
	DecidedAt      *string          `json:"decidedAt"`
	DecidedBy      *string          `json:"decidedBy"`
	Reason         *string          `json:"reason"`
	UsedAt         *string          `json:"usedAt"`
	UsedBy         *string          `json:"usedBy"`
	UsedDecisionID *string          `json:"usedDecisionId"`
	Approvers      []ApprovalDemand `json:"approvers"`
	// Those who approved, when the rules name approvers; oldest first.
	Votes    []ApprovalVote   `json:"votes"`
	Decision DecisionOnRecord `json:"decision"`
}

// ApprovalDemand is part of the API's requests or answers.
type ApprovalDemand struct {
	// The policy whose rule demands it.
	Policy string `json:"policy"`
	// The name of the rule.
	Rule string `json:"rule"`
	// Keys that may approve.
	Keys []string `json:"keys"`
	// Keys with one of these tags may approve, too.
	Tags []string `json:"tags"`
	// How many different hands must approve.
	AtLeast int64 `json:"atLeast"`
	// Keys whose votes count, one of each hand.
	ApprovedBy []string `json:"approvedBy"`
	// How many votes are missing.
	Missing int64 `json:"missing"`
}

// ApprovalDetailMasked is part of the API's requests or answers.
type ApprovalDetailMasked struct {
	// The masked value in the arguments: a JSON Pointer (RFC 6901).
	Pointer string `json:"pointer"`
	// name: its member is named like a secret. private_key: it holds a private key. credential: parts of it have the form of a credential, and only these are masked.
	// One of: name, private_key, credential.
	Reason string `json:"reason"`
}

// ApprovalDetail is part of the API's requests or answers.
type ApprovalDetail struct {
	Requested *Requested `json:"requested"`
	// Names it.
	ApprovalID string `json:"approvalId"`
	// pending; approved: may be used once; rejected, or withdrawn; used; expired: not decided or not used in time.
	// One of: pending, approved, rejected, expired, used.
	Status string `json:"status"`
	// The agent.
	AgentID string `json:"agentId"`
	// The key that asked. It may not decide, nor may a key that it created or that created it.
	KeyID string `json:"keyId"`
	// What it is bound to: SHA-256, lower-case hex, of the canonical JSON (RFC 8785) of `bound`, which GET /v1/approvals/{id} shows, with secrets in the arguments of a tool call masked.
	Digest   string  `json:"digest"`
	IntentID *string `json:"intentId"`
	// RFC 3339, UTC, milliseconds.
	CreatedAt string `json:"createdAt"`
	// RFC 3339, UTC, milliseconds.
	ExpiresAt      string           `json:"expiresAt"`
	DecidedAt      *string          `json:"decidedAt"`
	DecidedBy      *string          `json:"decidedBy"`
	Reason         *string          `json:"reason"`
	UsedAt         *string          `json:"usedAt"`
	UsedBy         *string          `json:"usedBy"`
	UsedDecisionID *string          `json:"usedDecisionId"`
	Approvers      []ApprovalDemand `json:"approvers"`
	// Those who approved, when the rules name approvers; oldest first.
	Votes    []ApprovalVote   `json:"votes"`
	Decision DecisionOnRecord `json:"decision"`
	// Whether the calling key may decide it while it is pending, and reject it until it is used: not the key that asked, nor its rotations, ancestors or descendants.
	MayDecide bool `json:"mayDecide"`
	// Whether `mayDecide`, the calling key is bound to no agents, and the rules name it, if they name approvers. Any key that may decide may reject.
	MayApprove bool `json:"mayApprove"`
	// False: there are not enough valid admin keys that the rules name, so nobody can complete this approval.
	CanBeMet bool           `json:"canBeMet"`
	Bound    map[string]any `json:"bound"`
	// Which arguments of the tool call in `bound` are masked, and why.
	Masked  []ApprovalDetailMasked `json:"masked"`
	Context map[string]any         `json:"context"`
}

// ApprovalList is part of the API's requests or answers.
type ApprovalList struct {
	// One page of them.
	Items      []Approval `json:"items"`
	NextCursor *string    `json:"nextCursor"`
}

// ApprovalVerdict is part of the API's requests or answers.
type ApprovalVerdict struct {
	// Stored in the log permanently.
	Reason string `json:"reason"`
}

// ApprovalVote is part of the API's requests or answers.
type ApprovalVote struct {
	// The key that approved.
	By string `json:"by"`
	// RFC 3339, UTC, milliseconds.
	At string `json:"at"`
	// The reason it gave.
	Reason string `json:"reason"`
}

// ApproverDemand is part of the API's requests or answers.
type ApproverDemand struct {
	// The policy whose rule demands it.
	Policy string `json:"policy"`
	// The name of the rule.
	Rule string `json:"rule"`
	// Keys that may approve.
	Keys []string `json:"keys"`
	// Keys with one of these tags may approve, too.
	Tags []string `json:"tags"`
	// How many different hands must approve.
	AtLeast int64 `json:"at_least"`
}

// AuthzenAction is part of the API's requests or answers.
// What is done.
type AuthzenAction struct {
	// Read by policies/authzen.json, else by the lexicon.
	Name string `json:"name"`
	// Attributes, which policies read below `properties`.
	Properties map[string]any `json:"properties,omitempty"`
	// More holds the members that have no field.
	More map[string]any `json:"-"`
}

// MarshalJSON writes the fields and the members of More.
func (v AuthzenAction) MarshalJSON() ([]byte, error) {
	type fields AuthzenAction
	return marshalOpen(fields(v), v.More)
}

// UnmarshalJSON keeps members without a field in More.
func (v *AuthzenAction) UnmarshalJSON(text []byte) error {
	return unmarshalAnswer(text, v)
}

// AuthzenActionSearchRequestPage is part of the API's requests or answers.
// Which page of the results.
type AuthzenActionSearchRequestPage struct {
	// The most results of a page. Default 50, at most 200.
	Limit *int64 `json:"limit,omitempty"`
	// The next_token of the page before.
	Token *string `json:"token,omitempty"`
	// More holds the members that have no field.
	More map[string]any `json:"-"`
}

// MarshalJSON writes the fields and the members of More.
func (v AuthzenActionSearchRequestPage) MarshalJSON() ([]byte, error) {
	type fields AuthzenActionSearchRequestPage
	return marshalOpen(fields(v), v.More)
}

// UnmarshalJSON keeps members without a field in More.
func (v *AuthzenActionSearchRequestPage) UnmarshalJSON(text []byte) error {
	return unmarshalAnswer(text, v)
}

// AuthzenActionSearchRequest is part of the API's requests or answers.
type AuthzenActionSearchRequest struct {
	Subject  AuthzenSubject  `json:"subject"`
	Resource AuthzenResource `json:"resource"`
	// Facts of the request, which policies read as `context.env`. `approval.id` names the approval that an earlier answer asked for.
	Context map[string]any `json:"context,omitempty"`
	// Which page of the results.
	Page *AuthzenActionSearchRequestPage `json:"page,omitempty"`
	// More holds the members that have no field.
	More map[string]any `json:"-"`
}

// MarshalJSON writes the fields and the members of More.
func (v AuthzenActionSearchRequest) MarshalJSON() ([]byte, error) {
	type fields AuthzenActionSearchRequest
	return marshalOpen(fields(v), v.More)
}

// UnmarshalJSON keeps members without a field in More.
func (v *AuthzenActionSearchRequest) UnmarshalJSON(text []byte) error {
	return unmarshalAnswer(text, v)
}

// AuthzenActionSearchResponseResults is part of the API's requests or answers.
type AuthzenActionSearchResponseResults struct {
	// The name of the action.
	Name string `json:"name"`
}

// AuthzenActionSearchResponsePage is part of the API's requests or answers.
// How to get the next page.
type AuthzenActionSearchResponsePage struct {
	// Empty: there are no more results.
	NextToken string `json:"next_token"`
}

// AuthzenActionSearchResponse is part of the API's requests or answers.
type AuthzenActionSearchResponse struct {
	// One page of them.
	Results []AuthzenActionSearchResponseResults `json:"results"`
	// How to get the next page.
	Page AuthzenActionSearchResponsePage `json:"page"`
}

// AuthzenConfiguration is part of the API's requests or answers.
type AuthzenConfiguration struct {
	// The address of this service.
	PolicyDecisionPoint string `json:"policy_decision_point"`
	// POST /access/v1/evaluation
	AccessEvaluationEndpoint string `json:"access_evaluation_endpoint"`
	// POST /access/v1/evaluations
	AccessEvaluationsEndpoint string `json:"access_evaluations_endpoint"`
	// POST /access/v1/search/subject
	SearchSubjectEndpoint string `json:"search_subject_endpoint"`
	// POST /access/v1/search/action
	SearchActionEndpoint string `json:"search_action_endpoint"`
	// POST /access/v1/search/resource
	SearchResourceEndpoint string `json:"search_resource_endpoint"`
}

// AuthzenEvaluationRequest is part of the API's requests or answers.
type AuthzenEvaluationRequest struct {
	Subject  AuthzenSubject  `json:"subject"`
	Action   AuthzenAction   `json:"action"`
	Resource AuthzenResource `json:"resource"`
	// Facts of the request, which policies read as `context.env`. `approval.id` names the approval that an earlier answer asked for.
	Context map[string]any `json:"context,omitempty"`
	// More holds the members that have no field.
	More map[string]any `json:"-"`
}

// MarshalJSON writes the fields and the members of More.
func (v AuthzenEvaluationRequest) MarshalJSON() ([]byte, error) {
	type fields AuthzenEvaluationRequest
	return marshalOpen(fields(v), v.More)
}

// UnmarshalJSON keeps members without a field in More.
func (v *AuthzenEvaluationRequest) UnmarshalJSON(text []byte) error {
	return unmarshalAnswer(text, v)
}

// AuthzenEvaluationResponse is part of the API's requests or answers.
type AuthzenEvaluationResponse struct {
	// Whether the subject may go on. DEGRADE is true only for a key that keeps all of its obligations.
	Decision bool `json:"decision"`
	// verdict, decision_id, reasons, obligations, and for ESCALATE approval and access_request; in a batch `error` when a member could not be evaluated.
	Context map[string]any `json:"context"`
}

// AuthzenEvaluationsRequestOptions is part of the API's requests or answers.
// How the members are evaluated.
type AuthzenEvaluationsRequestOptions struct {
	// Whether all members are evaluated (the default), or in order until the first that is denied, or permitted. Members after it are neither evaluated nor recorded, and have no answer.
	// One of: execute_all, deny_on_first_deny, permit_on_first_permit.
	EvaluationsSemantic *string `json:"evaluations_semantic,omitempty"`
	// More holds the members that have no field.
	More map[string]any `json:"-"`
}

// MarshalJSON writes the fields and the members of More.
func (v AuthzenEvaluationsRequestOptions) MarshalJSON() ([]byte, error) {
	type fields AuthzenEvaluationsRequestOptions
	return marshalOpen(fields(v), v.More)
}

// UnmarshalJSON keeps members without a field in More.
func (v *AuthzenEvaluationsRequestOptions) UnmarshalJSON(text []byte) error {
	return unmarshalAnswer(text, v)
}

// AuthzenEvaluationsRequest is part of the API's requests or answers.
type AuthzenEvaluationsRequest struct {
	// The default of every member.
	Subject any `json:"subject,omitempty"`
	// The default of every member.
	Action any `json:"action,omitempty"`
	// The default of every member.
	Resource any `json:"resource,omitempty"`
	// The default of every member.
	Context any `json:"context,omitempty"`
	// Absent or empty: the request is a single evaluation.
	Evaluations []any `json:"evaluations,omitempty"`
	// How the members are evaluated.
	Options *AuthzenEvaluationsRequestOptions `json:"options,omitempty"`
	// More holds the members that have no field.
	More map[string]any `json:"-"`
}

// MarshalJSON writes the fields and the members of More.
func (v AuthzenEvaluationsRequest) MarshalJSON() ([]byte, error) {
	type fields AuthzenEvaluationsRequest
	return marshalOpen(fields(v), v.More)
}

// UnmarshalJSON keeps members without a field in More.
func (v *AuthzenEvaluationsRequest) UnmarshalJSON(text []byte) error {
	return unmarshalAnswer(text, v)
}

// AuthzenEvaluationsResponse is part of the API's requests or answers.
type AuthzenEvaluationsResponse struct {
	// In the order of the request.
	Evaluations []AuthzenEvaluationResponse `json:"evaluations"`
}

// AuthzenResource is part of the API's requests or answers.
// What it is done to.
type AuthzenResource struct {
	// The first part of the resource, `<type>/<id>`.
	Type string `json:"type"`
	// An asterisk is text, not a wildcard.
	ID string `json:"id"`
	// Attributes, which policies read below `properties`.
	Properties map[string]any `json:"properties,omitempty"`
	// More holds the members that have no field.
	More map[string]any `json:"-"`
}

// MarshalJSON writes the fields and the members of More.
func (v AuthzenResource) MarshalJSON() ([]byte, error) {
	type fields AuthzenResource
	return marshalOpen(fields(v), v.More)
}

// UnmarshalJSON keeps members without a field in More.
func (v *AuthzenResource) UnmarshalJSON(text []byte) error {
	return unmarshalAnswer(text, v)
}

// AuthzenResourceSearchRequestResource is part of the API's requests or answers.
// The resources that are looked for.
type AuthzenResourceSearchRequestResource struct {
	// The type that is looked for: the first segment of the names.
	Type string `json:"type"`
	// Attributes, which policies read below `properties`.
	Properties map[string]any `json:"properties,omitempty"`
	// More holds the members that have no field.
	More map[string]any `json:"-"`
}

// MarshalJSON writes the fields and the members of More.
func (v AuthzenResourceSearchRequestResource) MarshalJSON() ([]byte, error) {
	type fields AuthzenResourceSearchRequestResource
	return marshalOpen(fields(v), v.More)
}

// UnmarshalJSON keeps members without a field in More.
func (v *AuthzenResourceSearchRequestResource) UnmarshalJSON(text []byte) error {
	return unmarshalAnswer(text, v)
}

// AuthzenResourceSearchRequestPage is part of the API's requests or answers.
// Which page of the results.
type AuthzenResourceSearchRequestPage struct {
	// The most results of a page. Default 50, at most 200.
	Limit *int64 `json:"limit,omitempty"`
	// The next_token of the page before.
	Token *string `json:"token,omitempty"`
	// More holds the members that have no field.
	More map[string]any `json:"-"`
}

// MarshalJSON writes the fields and the members of More.
func (v AuthzenResourceSearchRequestPage) MarshalJSON() ([]byte, error) {
	type fields AuthzenResourceSearchRequestPage
	return marshalOpen(fields(v), v.More)
}

// UnmarshalJSON keeps members without a field in More.
func (v *AuthzenResourceSearchRequestPage) UnmarshalJSON(text []byte) error {
	return unmarshalAnswer(text, v)
}

// AuthzenResourceSearchRequest is part of the API's requests or answers.
type AuthzenResourceSearchRequest struct {
	Subject AuthzenSubject `json:"subject"`
	Action  AuthzenAction  `json:"action"`
	// The resources that are looked for.
	Resource AuthzenResourceSearchRequestResource `json:"resource"`
	// Facts of the request, which policies read as `context.env`. `approval.id` names the approval that an earlier answer asked for.
	Context map[string]any `json:"context,omitempty"`
	// Which page of the results.
	Page *AuthzenResourceSearchRequestPage `json:"page,omitempty"`
	// More holds the members that have no field.
	More map[string]any `json:"-"`
}

// MarshalJSON writes the fields and the members of More.
func (v AuthzenResourceSearchRequest) MarshalJSON() ([]byte, error) {
	type fields AuthzenResourceSearchRequest
	return marshalOpen(fields(v), v.More)
}

// UnmarshalJSON keeps members without a field in More.
func (v *AuthzenResourceSearchRequest) UnmarshalJSON(text []byte) error {
	return unmarshalAnswer(text, v)
}

// AuthzenResourceSearchResponseResults is part of the API's requests or answers.
type AuthzenResourceSearchResponseResults struct {
	// Its type.
	Type string `json:"type"`
	// The rest of its name.
	ID string `json:"id"`
}

// AuthzenResourceSearchResponsePage is part of the API's requests or answers.
// How to get the next page.
type AuthzenResourceSearchResponsePage struct {
	// Empty: there are no more results.
	NextToken string `json:"next_token"`
}

// AuthzenResourceSearchResponse is part of the API's requests or answers.
type AuthzenResourceSearchResponse struct {
	// One page of them.
	Results []AuthzenResourceSearchResponseResults `json:"results"`
	// How to get the next page.
	Page AuthzenResourceSearchResponsePage `json:"page"`
}

// AuthzenSubject is part of the API's requests or answers.
// Who acts.
type AuthzenSubject struct {
	// Without a colon: the agent is `<type>:<id>`.
	Type string `json:"type"`
	// Unique among the subjects of its type.
	ID string `json:"id"`
	// Attributes, which policies read below `properties`.
	Properties map[string]any `json:"properties,omitempty"`
	// More holds the members that have no field.
	More map[string]any `json:"-"`
}

// MarshalJSON writes the fields and the members of More.
func (v AuthzenSubject) MarshalJSON() ([]byte, error) {
	type fields AuthzenSubject
	return marshalOpen(fields(v), v.More)
}

// UnmarshalJSON keeps members without a field in More.
func (v *AuthzenSubject) UnmarshalJSON(text []byte) error {
	return unmarshalAnswer(text, v)
}

// AuthzenSubjectSearchRequestSubject is part of the API's requests or answers.
// The subjects that are looked for.
type AuthzenSubjectSearchRequestSubject struct {
	// The type that is looked for.
	Type string `json:"type"`
	// Attributes, which policies read below `properties`.
	Properties map[string]any `json:"properties,omitempty"`
	// More holds the members that have no field.
	More map[string]any `json:"-"`
}

// MarshalJSON writes the fields and the members of More.
func (v AuthzenSubjectSearchRequestSubject) MarshalJSON() ([]byte, error) {
	type fields AuthzenSubjectSearchRequestSubject
	return marshalOpen(fields(v), v.More)
}

// UnmarshalJSON keeps members without a field in More.
func (v *AuthzenSubjectSearchRequestSubject) UnmarshalJSON(text []byte) error {
	return unmarshalAnswer(text, v)
}

// AuthzenSubjectSearchRequestPage is part of the API's requests or answers.
// Which page of the results.
type AuthzenSubjectSearchRequestPage struct {
	// The most results of a page. Default 50, at most 200.
	Limit *int64 `json:"limit,omitempty"`
	// The next_token of the page before.
	Token *string `json:"token,omitempty"`
	// More holds the members that have no field.
	More map[string]any `json:"-"`
}

// MarshalJSON writes the fields and the members of More.
func (v AuthzenSubjectSearchRequestPage) MarshalJSON() ([]byte, error) {
	type fields AuthzenSubjectSearchRequestPage
	return marshalOpen(fields(v), v.More)
}

// UnmarshalJSON keeps members without a field in More.
func (v *AuthzenSubjectSearchRequestPage) UnmarshalJSON(text []byte) error {
	return unmarshalAnswer(text, v)
}

// AuthzenSubjectSearchRequest is part of the API's requests or answers.
type AuthzenSubjectSearchRequest struct {
	// The subjects that are looked for.
	Subject  AuthzenSubjectSearchRequestSubject `json:"subject"`
	Action   AuthzenAction                      `json:"action"`
	Resource AuthzenResource                    `json:"resource"`
	// Facts of the request, which policies read as `context.env`. `approval.id` names the approval that an earlier answer asked for.
	Context map[string]any `json:"context,omitempty"`
	// Which page of the results.
	Page *AuthzenSubjectSearchRequestPage `json:"page,omitempty"`
	// More holds the members that have no field.
	More map[string]any `json:"-"`
}

// MarshalJSON writes the fields and the members of More.
func (v AuthzenSubjectSearchRequest) MarshalJSON() ([]byte, error) {
	type fields AuthzenSubjectSearchRequest
	return marshalOpen(fields(v), v.More)
}

// UnmarshalJSON keeps members without a field in More.
func (v *AuthzenSubjectSearchRequest) UnmarshalJSON(text []byte) error {
	return unmarshalAnswer(text, v)
}

// AuthzenSubjectSearchResponseResults is part of the API's requests or answers.
type AuthzenSubjectSearchResponseResults struct {
	// Its type.
	Type string `json:"type"`
	// Its id among them.
	ID string `json:"id"`
}

// AuthzenSubjectSearchResponsePage is part of the API's requests or answers.
// How to get the next page.
type AuthzenSubjectSearchResponsePage struct {
	// Empty: there are no more results.
	NextToken string `json:"next_token"`
}

// AuthzenSubjectSearchResponse is part of the API's requests or answers.
type AuthzenSubjectSearchResponse struct {
	// One page of them.
	Results []AuthzenSubjectSearchResponseResults `json:"results"`
	// How to get the next page.
	Page AuthzenSubjectSearchResponsePage `json:"page"`
}

// BudgetsLeftItem is part of the API's requests or answers.
type BudgetsLeftItem struct {
	// As in the policies.
	Name string `json:"name"`
	// Of one window.
	Limit float64 `json:"limit"`
	// After this decision.
	Left float64 `json:"left"`
	// How long a permission counts.
	Window string `json:"window"`
}

// BudgetsLeft is part of the API's requests or answers.
// Budgets that were read, by name. A permission counts against them. Absent when no rule with a budget would permit.
type BudgetsLeft []BudgetsLeftItem

// CataloguedTool is part of the API's requests or answers.
type CataloguedTool struct {
	// The name of the tool.
	Name string `json:"name"`
	// why it is read so
	Description *string `json:"description,omitempty"`
	// the action class of every call
	// One of: read, create, update, delete, execute, send, transfer, grant, revoke.
	Action string `json:"action"`
	// Of the entry, or that of its action.
	// One of: read, write, destructive.
	Effect string `json:"effect"`
	// how many objects a call touches; absent: one
	// One of: one, many, all.
	Extent *string `json:"extent,omitempty"`
	// what a call acts on: {path} takes an argument, a JSON Pointer without its first slash for a deeper one; {paths[]} each item of a list, {number:integer} a whole number; absent: tools/<server>/<tool>
	Resource *string `json:"resource,omitempty"`
	// other resources that a call touches, as templates: no rule permits because of them, other rules match them
	Places []string `json:"places,omitempty"`
	// what else is true of every call
	// One of: external, privileged, financial, bulk, irreversible, illicit.
	Traits []string `json:"traits,omitempty"`
	// classes of sensitive data that every call involves
	// One of: credentials, pii, financial, health.
	DataClasses []string `json:"dataClasses,omitempty"`
	// arguments that hold code or text, by JSON Pointer without its first slash, and how to read them: what is found counts too, the stricter wins
	Reads map[string]string `json:"reads,omitempty"`
	// the digest of the definition that was approved: a call under another one counts as changed
	Definition *string `json:"definition,omitempty"`
}

// Checkpoint is part of the API's requests or answers.
type Checkpoint struct {
	// A number of leaves.
	Size int64 `json:"size"`
	// SHA-256, lower-case hex.
	Root string `json:"root"`
	// The signed note (C2SP tlog-checkpoint).
	Note string `json:"note"`
	// RFC 3339, UTC, milliseconds.
	SignedAt string `json:"signedAt"`
}

// CheckpointList is part of the API's requests or answers.
type CheckpointList struct {
	// One page of them.
	Items      []Checkpoint `json:"items"`
	NextCursor *string      `json:"nextCursor"`
}

// Consistency is part of the API's requests or answers.
type Consistency struct {
	// The smaller number of leaves.
	From int64 `json:"from"`
	// The larger one.
	To int64 `json:"to"`
	// The consistency path.
	Path []string `json:"path"`
}

// DecisionPolicySet is part of the API's requests or answers.
// The policy set that was in force.
type DecisionPolicySet struct {
	// Its SHA-256, lower-case hex.
	Digest string `json:"digest"`
}

// DecisionApproval is part of the API's requests or answers.
// With ESCALATE: the approval that a human must give, and until when; another than the named one where more is demanded now.
type DecisionApproval struct {
	// Sent with the question once it is approved.
	ApprovalID string `json:"approval_id"`
	// RFC 3339, UTC, milliseconds.
	ExpiresAt string `json:"expires_at"`
	// Who must approve: what each rule demands, all of which must be met. Absent: any admin key.
	Approvers []ApproverDemand `json:"approvers,omitempty"`
}

// DecisionProof is part of the API's requests or answers.
// The record of the decision in the log.
type DecisionProof struct {
	// For GET /v1/proofs/{id}.
	ProofID string   `json:"proof_id"`
	Promise *Promise `json:"promise,omitempty"`
}

// Decision is part of the API's requests or answers.
type Decision struct {
	// Names the decision, and its record.
	DecisionID string `json:"decision_id"`
	// X-Request-Id of the request that asked or submitted the intent; under an Idempotency-Key that of the first request. Absent in older decisions.
	RequestID *string `json:"request_id,omitempty"`
	// Whether the verdict is ALLOW or DEGRADE.
	Allowed bool `json:"allowed"`
	// DEGRADE permits with obligations; ESCALATE waits for a human.
	// One of: ALLOW, DENY, ESCALATE, DEGRADE.
	Verdict string `json:"verdict"`
	// The agent that was asked about.
	AgentID string `json:"agent_id"`
	// The key that asked.
	KeyID  string         `json:"key_id"`
	Intent DecisionIntent `json:"intent"`
	Tool   *ToolAnswer    `json:"tool,omitempty"`
	Trust  DecisionTrust  `json:"trust"`
	// By severity, DENY first. Never empty.
	Reasons     []Reason     `json:"reasons"`
	Obligations []Obligation `json:"obligations"`
	Budgets     *BudgetsLeft `json:"budgets,omitempty"`
	// The policy set that was in force.
	PolicySet DecisionPolicySet `json:"policy_set"`
	// RFC 3339, UTC, milliseconds.
	EvaluatedAt string `json:"evaluated_at"`
	// With ESCALATE: the approval that a human must give, and until when; another than the named one where more is demanded now.
	Approval *DecisionApproval `json:"approval,omitempty"`
	// The record of the decision in the log.
	Proof DecisionProof `json:"proof"`
	// RFC 3339, UTC, milliseconds.
	ExpiresAt string `json:"expires_at"`
	// Every candidate rule with its conditions, the values that they compared, and why a rule was skipped.
	Explanation []ExplainedRule `json:"explanation,omitempty"`
}

// DecisionIntent is part of the API's requests or answers.
// How the question was read.
type DecisionIntent struct {
	Requested *Requested `json:"requested,omitempty"`
	// `<domain>.<action>.<object>`.
	Normalized string `json:"normalized"`
	// The first word of it.
	Domain string `json:"domain"`
	// The class of the verb.
	// One of: read, create, update, delete, execute, send, transfer, grant, revoke, unknown.
	Action string `json:"action"`
	// The caller's own verb.
	Verb string `json:"verb"`
	// Canonical, as policies match it.
	Resource string `json:"resource"`
	// What it does to the resource.
	// One of: read, write, destructive.
	Effect string `json:"effect"`
	// Properties that make it graver.
	// One of: external, privileged, financial, bulk, irreversible, illicit.
	Traits []string `json:"traits"`
	Risk   Risk     `json:"risk"`
	// Whether a parse by this agent of the last 15 minutes was joined, named by its intent_id or not.
	Parsed bool `json:"parsed"`
}

// DecisionList is part of the API's requests or answers.
type DecisionList struct {
	// One page of them.
	Items      []DecisionOnRecord `json:"items"`
	NextCursor *string            `json:"nextCursor"`
}

// DecisionOnRecordPolicySet is part of the API's requests or answers.
// The policy set that was in force.
type DecisionOnRecordPolicySet struct {
	// Its SHA-256, lower-case hex.
	Digest string `json:"digest"`
}

// DecisionOnRecordProof is part of the API's requests or answers.
// The record of the decision in the log.
type DecisionOnRecordProof struct {
	// For GET /v1/proofs/{id}.
	ProofID string   `json:"proof_id"`
	Promise *Promise `json:"promise,omitempty"`
}

// DecisionOnRecord is part of the API's requests or answers.
// A stored decision: the original answer, and whether it stands now.
type DecisionOnRecord struct {
	// Names the decision, and its record.
	DecisionID string `json:"decision_id"`
	// X-Request-Id of the request that asked or submitted the intent; under an Idempotency-Key that of the first request. Absent in older decisions.
	RequestID *string `json:"request_id,omitempty"`
	// Whether the verdict is ALLOW or DEGRADE.
	Allowed bool `json:"allowed"`
	// DEGRADE permits with obligations; ESCALATE waits for a human.
	// One of: ALLOW, DENY, ESCALATE, DEGRADE.
	Verdict string `json:"verdict"`
	// The agent that was asked about.
	AgentID string `json:"agent_id"`
	// The key that asked.
	KeyID  string         `json:"key_id"`
	Intent DecisionIntent `json:"intent"`
	Tool   *ToolAnswer    `json:"tool,omitempty"`
	Trust  DecisionTrust  `json:"trust"`
	// By severity, DENY first. Never empty.
	Reasons     []Reason     `json:"reasons"`
	Obligations []Obligation `json:"obligations"`
	Budgets     *BudgetsLeft `json:"budgets,omitempty"`
	// The policy set that was in force.
	PolicySet DecisionOnRecordPolicySet `json:"policy_set"`
	// RFC 3339, UTC, milliseconds.
	EvaluatedAt string `json:"evaluated_at"`
	// With ESCALATE: the approval that a human must give, and until when; another than the named one where more is demanded now.
	Approval *DecisionApproval `json:"approval,omitempty"`
	// The record of the decision in the log.
	Proof DecisionOnRecordProof `json:"proof"`
	// RFC 3339, UTC, milliseconds.
	ExpiresAt string `json:"expires_at"`
	// Whether it may be acted upon now. Not part of the record: it is computed when the decision is read.
	Stands bool `json:"stands"`
	// The first reason why it does not stand: it permits nothing, it has expired, the environment is halted, the agent is not active, or the key that asked (with its rotations) is no longer valid.
	// One of: verdict, expired, halted, agent_not_active, key_invalid, not_carried_out.
	StandsReason *string `json:"stands_reason,omitempty"`
}

// DecisionTrustAsOf is part of the API's requests or answers.
// What the score was computed from.
type DecisionTrustAsOf struct {
	// How many signals were counted.
	Signals int64 `json:"signals"`
	// UTC day, YYYY-MM-DD.
	Day string `json:"day"`
}

// DecisionTrust is part of the API's requests or answers.
// The trust in the agent.
type DecisionTrust struct {
	ClaimedLevel *int64 `json:"claimed_level"`
	// What the signals about the agent say.
	RecordedLevel int64 `json:"recorded_level"`
	// The lower of the two.
	EffectiveLevel int64 `json:"effective_level"`
	// The recorded score.
	Score int64 `json:"score"`
	// 1 without any evidence.
	Uncertainty float64 `json:"uncertainty"`
	// What the score was computed from.
	AsOf DecisionTrustAsOf `json:"as_of"`
}

// DropStageRequest is part of the API's requests or answers.
type DropStageRequest struct {
	// Why; stored in every log permanently.
	Reason string `json:"reason"`
}

// DryRunPolicySet is part of the API's requests or answers.
// The policy set that was in force.
type DryRunPolicySet struct {
	// Its SHA-256, lower-case hex.
	Digest string `json:"digest"`
}

// DryRun is part of the API's requests or answers.
// The verdict that a decision would have. Not a decision: no id, no proof, nothing stored.
type DryRun struct {
	// Tells it from a decision.
	DryRun bool `json:"dry_run"`
	// A dry run permits nothing.
	Allowed bool `json:"allowed"`
	// DEGRADE permits with obligations; ESCALATE waits for a human.
	// One of: ALLOW, DENY, ESCALATE, DEGRADE.
	Verdict string `json:"verdict"`
	// The agent that was asked about.
	AgentID string `json:"agent_id"`
	// The key that asked.
	KeyID  string         `json:"key_id"`
	Intent DecisionIntent `json:"intent"`
	Tool   *ToolAnswer    `json:"tool,omitempty"`
	Trust  DecisionTrust  `json:"trust"`
	// By severity, DENY first. Never empty.
	Reasons     []Reason     `json:"reasons"`
	Obligations []Obligation `json:"obligations"`
	Budgets     *BudgetsLeft `json:"budgets,omitempty"`
	// The policy set that was in force.
	PolicySet DryRunPolicySet `json:"policy_set"`
	// RFC 3339, UTC, milliseconds.
	EvaluatedAt string `json:"evaluated_at"`
	// Every candidate rule with its conditions, the values that they compared, and why a rule was skipped.
	Explanation []ExplainedRule `json:"explanation,omitempty"`
}

// EnforceBatchFailure is part of the API's requests or answers.
type EnforceBatchFailure struct {
	Error Problem `json:"error"`
}

// EnforceBatchRequest is part of the API's requests or answers.
type EnforceBatchRequest struct {
	// Answered in this order.
	Requests []EnforceRequest `json:"requests"`
}

// EnforceBatchResponseDecisions is part of the API's requests or answers.
type EnforceBatchResponseDecisions struct {
	Decision            *Decision            `variant:"decision_id"`
	DryRun              *DryRun              `variant:"dry_run"`
	EnforceBatchFailure *EnforceBatchFailure `variant:"error"`
}

// MarshalJSON writes the variant that is set.
func (v EnforceBatchResponseDecisions) MarshalJSON() ([]byte, error) {
	return marshalVariant(v)
}

// UnmarshalJSON sets the variant whose member is present.
func (v *EnforceBatchResponseDecisions) UnmarshalJSON(text []byte) error {
	return unmarshalAnswer(text, v)
}

// EnforceBatchResponse is part of the API's requests or answers.
type EnforceBatchResponse struct {
	// One answer for each request, in their order. `error` tells a failed one, and `dry_run` a dry run, from a decision.
	Decisions []EnforceBatchResponseDecisions `json:"decisions"`
}

// EnforceRequest is part of the API's requests or answers.
type EnforceRequest struct {
	// A normalized intent (`data.read.user_profile`), or `action:resource` (`delete:db/production/users`). Exactly one of `intent` and `tool`.
	Intent *string   `json:"intent,omitempty"`
	Tool   *ToolCall `json:"tool,omitempty"`
	// 1 to 256 characters, no control characters, not "." or "..", not beginning with "custos:".
	AgentID string `json:"agent_id"`
	// A claim: it can only lower the recorded level.
	TrustLevel *int64 `json:"trust_level,omitempty"`
	// The intent_id of a parse.
	IntentID *string `json:"intent_id,omitempty"`
	// Your own facts for policies (`context.*`). A missing fact can only make an answer stricter.
	Context map[string]any `json:"context,omitempty"`
	// The approval that an ESCALATE named, once it is approved: good once, for this agent, intent as it was written or tool call with all its arguments, intent_id and context. It permits what would be ESCALATE, and nothing that is denied.
	ApprovalID *string `json:"approval_id,omitempty"`
	// Needs admin:*. Adds every candidate rule with the values that it compared. For a key that is bound to agents: of questions about them.
	Explain *bool `json:"explain,omitempty"`
	// Needs admin:*. Evaluates without storing: not a decision.
	DryRun *bool `json:"dry_run,omitempty"`
}

// EnforceResponse is part of the API's requests or answers.
// The decision, or for a request with `dry_run` what it would have been: `dry_run` tells them apart.
type EnforceResponse struct {
	Decision *Decision `variant:"decision_id"`
	DryRun   *DryRun   `variant:"dry_run"`
}

// MarshalJSON writes the variant that is set.
func (v EnforceResponse) MarshalJSON() ([]byte, error) {
	return marshalVariant(v)
}

// UnmarshalJSON sets the variant whose member is present.
func (v *EnforceResponse) UnmarshalJSON(text []byte) error {
	return unmarshalAnswer(text, v)
}

// ExplainedRuleBudget is part of the API's requests or answers.
// The budget of the rule.
type ExplainedRuleBudget struct {
	// Its name.
	Name string `json:"name"`
	// How long a permission counts.
	Window string `json:"window"`
	// What permissions of one window may add up to.
	Limit float64 `json:"limit"`
	// What was used before; 0 where the use was not read.
	Used float64 `json:"used"`
	// What this request needs.
	Amount *float64 `json:"amount,omitempty"`
}

// ExplainedRuleConditionsExpectedFact is part of the API's requests or answers.
// The fact that the rule compares with.
type ExplainedRuleConditionsExpectedFact struct {
	// The fact.
	Fact string `json:"fact"`
	// Its member.
	Path *string `json:"path,omitempty"`
}

// ExplainedRuleConditionsItem is part of the API's requests or answers.
// The item that decided.
type ExplainedRuleConditionsItem struct {
	// From 0.
	Index int64 `json:"index"`
	// The item.
	Actual any `json:"actual"`
}

// ExplainedRuleConditions is part of the API's requests or answers.
type ExplainedRuleConditions struct {
	// The fact that is compared.
	Fact string `json:"fact"`
	// The member of the fact.
	Path *string `json:"path,omitempty"`
	// How it is compared.
	Operator string `json:"operator"`
	// The value in the rule; of a comparison of two facts, that of expectedFact.
	Expected any `json:"expected"`
	// The named condition that it is part of.
	Condition *string `json:"condition,omitempty"`
	// The constant that is the expected value.
	Constant *string `json:"constant,omitempty"`
	// The fact that the rule compares with.
	ExpectedFact *ExplainedRuleConditionsExpectedFact `json:"expectedFact,omitempty"`
	// The value of the fact.
	Actual any `json:"actual,omitempty"`
	// The item that decided.
	Item *ExplainedRuleConditionsItem `json:"item,omitempty"`
	// Whether the fact is missing.
	Missing bool `json:"missing"`
	// Whether the condition holds.
	Result bool `json:"result"`
}

// ExplainedRuleAlternatives is part of the API's requests or answers.
type ExplainedRuleAlternatives struct {
	// The alternative in words.
	Text string `json:"text"`
	// Its comparisons: positions in `conditions`, from 0.
	Conditions []int64 `json:"conditions"`
	// The comparisons of all alternatives of the same `any`.
	Of []int64 `json:"of"`
}

// ExplainedRule is part of the API's requests or answers.
type ExplainedRule struct {
	// The id of the policy.
	Policy string `json:"policy"`
	// The name of its rule.
	Rule string `json:"rule"`
	// What the rule demands.
	Effect string `json:"effect"`
	// Whether its conditions hold.
	Matched bool `json:"matched"`
	// Why it was skipped, or did not count although its conditions hold.
	Skipped *string `json:"skipped,omitempty"`
	// The budget of the rule.
	Budget *ExplainedRuleBudget `json:"budget,omitempty"`
	// Its conditions, in their order.
	Conditions []ExplainedRuleConditions `json:"conditions"`
	// Alternatives of `any`, each of which alone decides whether the rule holds; absent when there are none.
	Alternatives []ExplainedRuleAlternatives `json:"alternatives,omitempty"`
}

// FieldError is part of the API's requests or answers.
type FieldError struct {
	// RFC 6901 pointer into the body, or ?name for a query parameter, {name} for a path parameter
	Pointer string `json:"pointer"`
	// what is wrong there
	Message string `json:"message"`
}

// Finding is part of the API's requests or answers.
type Finding struct {
	// The file, below the policy folder.
	File string `json:"file"`
	// From 1.
	Line int64 `json:"line"`
	// From 1, in characters.
	Column int64 `json:"column"`
	// RFC 6901, into the file.
	Pointer string `json:"pointer"`
	// The kind of problem, for programs.
	Code string `json:"code"`
	// The problem, for people.
	Message string `json:"message"`
	// Absent: error. A set with an error is not activated.
	// One of: error, warning.
	Severity *string `json:"severity,omitempty"`
	// How to fix it.
	Hint *string `json:"hint,omitempty"`
	// A request that demonstrates it.
	Example *string `json:"example,omitempty"`
}

// FollowFolderRequest is part of the API's requests or answers.
type FollowFolderRequest struct {
	// Why; stored in every log permanently.
	Reason string `json:"reason"`
	// The line of `custos policy sign`; required with CUSTOS_POLICY_SIGNERS.
	Signature *string `json:"signature,omitempty"`
}

// HaltLift is part of the API's requests or answers.
type HaltLift struct {
	// Why the environment may act again. Stored in the log permanently.
	Reason *string `json:"reason,omitempty"`
}

// HaltRequest is part of the API's requests or answers.
type HaltRequest struct {
	// Stored in the log permanently.
	Reason string `json:"reason"`
}

// HaltState is part of the API's requests or answers.
type HaltState struct {
	// That of the key.
	// One of: live, test, dev.
	Environment string `json:"environment"`
	// Whether every verdict is DENY now.
	Halted bool    `json:"halted"`
	Reason *string `json:"reason"`
	KeyID  *string `json:"keyId"`
	Since  *string `json:"since"`
}

// HaltedEnvironment is part of the API's requests or answers.
type HaltedEnvironment struct {
	// Its slug.
	Organisation string `json:"organisation"`
	// The environment whose verdicts are all DENY.
	// One of: live, test, dev.
	Environment string `json:"environment"`
	// The reason that was given.
	Reason string `json:"reason"`
}

// Health is part of the API's requests or answers.
type Health struct {
	// The process answers.
	// One of: alive.
	Status string `json:"status"`
}

// IntentUnread is part of the API's requests or answers.
type IntentUnread struct {
	// Offset.
	At int64 `json:"at"`
	// Without secrets.
	Text string `json:"text"`
}

// IntentAlternatives is part of the API's requests or answers.
type IntentAlternatives struct {
	// Likewise.
	Normalized string `json:"normalized"`
	// The class of the verb.
	// One of: read, create, update, delete, execute, send, transfer, grant, revoke, unknown.
	Action string `json:"action"`
	// The caller's own verb, in its base form; `unknown` when none was found.
	Verb string `json:"verb"`
	// What the verb acts on.
	Object string `json:"object"`
	// What it does to the object.
	// One of: read, write, destructive.
	Effect string `json:"effect"`
	// How sure the reading is, with three decimals.
	Confidence float64 `json:"confidence"`
}

// IntentEntitiesMoney is part of the API's requests or answers.
type IntentEntitiesMoney struct {
	// In the currency's major unit.
	Amount float64 `json:"amount"`
	// ISO 4217.
	Currency string `json:"currency"`
}

// IntentEntities is part of the API's requests or answers.
// What the text names.
type IntentEntities struct {
	// Mail addresses.
	Emails []string `json:"emails"`
	// Addresses of pages and services.
	URLs []string `json:"urls"`
	// Names and addresses of hosts.
	Hosts []string `json:"hosts"`
	// Sums of money.
	Money []IntentEntitiesMoney `json:"money"`
	// Paths of files.
	Paths []string `json:"paths"`
	// Of tickets, invoices and the like.
	Identifiers []string `json:"identifiers"`
}

// IntentTrustClaimed is part of the API's requests or answers.
// What the request claims.
type IntentTrustClaimed struct {
	// 0 to 1000.
	Score int64 `json:"score"`
	// The level of the score.
	Level int64 `json:"level"`
}

// IntentTrustRecorded is part of the API's requests or answers.
// What the signals about the agent say.
type IntentTrustRecorded struct {
	// 0 to 1000.
	Score int64 `json:"score"`
	// The level of the score.
	Level int64 `json:"level"`
}

// IntentTrustEffective is part of the API's requests or answers.
// The lower of the two.
type IntentTrustEffective struct {
	// 0 to 1000.
	Score int64 `json:"score"`
	// The level of the score.
	Level int64 `json:"level"`
}

// IntentTrust is part of the API's requests or answers.
// The trust in the agent.
type IntentTrust struct {
	Claimed *IntentTrustClaimed `json:"claimed"`
	// What the signals about the agent say.
	Recorded IntentTrustRecorded `json:"recorded"`
	// The lower of the two.
	Effective IntentTrustEffective `json:"effective"`
}

// IntentPolicySet is part of the API's requests or answers.
// The policy set that was in force.
type IntentPolicySet struct {
	// Its SHA-256, lower-case hex.
	Digest string `json:"digest"`
}

// Intent is part of the API's requests or answers.
type Intent struct {
	// The intent_id of a parse.
	IntentID string `json:"intent_id"`
	// The agent.
	AgentID string `json:"agent_id"`
	// `<domain>.<action>.<object>`, as strict as the text; parsing it again returns it.
	Normalized string `json:"normalized"`
	// The kind of thing: `data`, `db`, `email`, ...
	Domain string `json:"domain"`
	// The class of the verb.
	// One of: read, create, update, delete, execute, send, transfer, grant, revoke, unknown.
	Action string `json:"action"`
	// The caller's own verb, in its base form; `unknown` when none was found.
	Verb string `json:"verb"`
	// What the verb acts on.
	Object string `json:"object"`
	// Canonical resources that are named.
	Places []string `json:"places"`
	// What it does to the object.
	// One of: read, write, destructive.
	Effect string `json:"effect"`
	// Properties that make it graver.
	// One of: external, privileged, financial, bulk, irreversible, illicit.
	Traits []string `json:"traits"`
	// How many objects are affected.
	// One of: one, many, all.
	Extent string `json:"extent"`
	// How sure the reading is, with three decimals.
	Confidence float64 `json:"confidence"`
	// The share of the text that was read, with three decimals.
	Coverage float64 `json:"coverage"`
	// What it does not account for.
	Unread []IntentUnread `json:"unread"`
	// Other actions that it may request.
	Alternatives []IntentAlternatives `json:"alternatives"`
	// What the text names.
	Entities IntentEntities `json:"entities"`
	// Sensitive kinds of data.
	// One of: credentials, pii, financial, health.
	DataClasses []string `json:"data_classes"`
	// Warnings about the text itself.
	// One of: prompt_injection, obfuscated, negated, multi_action, not_understood, secret_in_text, destructive_words.
	Flags []string `json:"flags"`
	// Surely; absent otherwise.
	Harmless *bool `json:"harmless,omitempty"`
	// Of the second reader; absent when it was not asked.
	// One of: agreed, raised, away.
	SecondReading *string `json:"second_reading,omitempty"`
	// Its reason.
	SecondReadingWhy *string `json:"second_reading_why,omitempty"`
	// What it made stricter: `effect destructive`.
	SecondReadingRaised []string `json:"second_reading_raised,omitempty"`
	Risk                Risk     `json:"risk"`
	// The trust in the agent.
	Trust IntentTrust `json:"trust"`
	// The verdict of this text enforced now. It permits nothing.
	// One of: ALLOW, DENY, ESCALATE, DEGRADE.
	VerdictPreview string `json:"verdict_preview"`
	// The policy set that was in force.
	PolicySet IntentPolicySet `json:"policy_set"`
	// RFC 3339, UTC, milliseconds.
	CreatedAt string `json:"created_at"`
}

// IntentAccepted is part of the API's requests or answers.
type IntentAccepted struct {
	// For GET /v1/intents/{id}.
	IntentID string `json:"intentId"`
	// It waits for a worker.
	// One of: queued.
	Status string `json:"status"`
}

// IntentRequest is part of the API's requests or answers.
type IntentRequest struct {
	// 1 to 256 characters, no control characters, not "." or "..", not beginning with "custos:".
	AgentID string `json:"agent_id"`
	// The action that the agent wants to take, as free text.
	RawIntent string `json:"raw_intent"`
	// A claim; fractions round down. It can only lower the recorded score.
	TrustScore *float64 `json:"trust_score,omitempty"`
	// Your own facts for policies (`context.*`). A missing fact can only make an answer stricter.
	Context map[string]any `json:"context,omitempty"`
}

// IntentSubmission is part of the API's requests or answers.
type IntentSubmission struct {
	// 1 to 256 characters, no control characters, not "." or "..", not beginning with "custos:".
	AgentID string `json:"agentId"`
	// An action, or a finer verb of the lexicon. Either `action` and `resource`, or `tool`.
	Action *string `json:"action,omitempty"`
	// What it acts on; a trailing `*` segment stands for one or more segments.
	Resource *string   `json:"resource,omitempty"`
	Tool     *ToolCall `json:"tool,omitempty"`
	// Your own facts for policies (`context.*`). A missing fact can only make an answer stricter.
	Context map[string]any `json:"context,omitempty"`
}

// Jwks is part of the API's requests or answers.
type Jwks struct {
	// JSON Web Keys (RFC 7517).
	Keys []map[string]any `json:"keys"`
}

// Key is part of the API's requests or answers.
type Key struct {
	// Names the key; not secret.
	KeyID string `json:"keyId"`
	// For people.
	Name string `json:"name"`
	// What it may do: see GET /v1/reference/scopes.
	// One of: agents:read, agents:write, intents:write, trust:read, trust:write, proofs:read, admin:*.
	Scopes   []string `json:"scopes"`
	AgentIDs []string `json:"agentIds"`
	// Types of obligations that its holder keeps.
	KeepsObligations []string `json:"keepsObligations"`
	// Words of your own; a fact for policies.
	Tags []string `json:"tags"`
	// Where it works.
	// One of: live, test, dev.
	Environment string `json:"environment"`
	// Its rate limit: see GET /v1/reference/rate-limits.
	Tier int64 `json:"tier"`
	// RFC 3339, UTC, milliseconds.
	CreatedAt  string  `json:"createdAt"`
	ExpiresAt  *string `json:"expiresAt"`
	CreatedBy  *string `json:"createdBy"`
	RevokedAt  *string `json:"revokedAt"`
	ReplacedBy *string `json:"replacedBy"`
	LastUsedAt *string `json:"lastUsedAt"`
}

// KeyCreate is part of the API's requests or answers.
type KeyCreate struct {
	// For people.
	Name string `json:"name"`
	// No scope twice. `admin:*` implies all.
	// One of: agents:read, agents:write, intents:write, trust:read, trust:write, proofs:read, admin:*.
	Scopes []string `json:"scopes"`
	// A number and a unit letter (m, h, d, w), 1m to 3650d. Absent: no expiry.
	ExpiresIn *string `json:"expiresIn,omitempty"`
	// Binds the key: it may name only these agents. Absent: all agents of the organisation.
	AgentIDs []string `json:"agentIds,omitempty"`
	// Types of obligations that the holder of the key keeps. An AuthZEN evaluation that is DEGRADE is `true` for this key if all of its obligations are among them. Absent: none.
	KeepsObligations []string `json:"keepsObligations,omitempty"`
	// Words of your own; the fact `key.tags` of policies, which also name approvers by them. They never change. Absent: none.
	Tags []string `json:"tags,omitempty"`
	// Default: the calling key's. Only a live key may name another.
	// One of: live, test, dev.
	Environment *string `json:"environment,omitempty"`
	// Rate limit tier, at most the organisation's. Default: 4, or the organisation's when that is lower.
	Tier *int64 `json:"tier,omitempty"`
}

// KeyCreated is part of the API's requests or answers.
type KeyCreated struct {
	// Names the key; not secret.
	KeyID string `json:"keyId"`
	// For people.
	Name string `json:"name"`
	// What it may do: see GET /v1/reference/scopes.
	// One of: agents:read, agents:write, intents:write, trust:read, trust:write, proofs:read, admin:*.
	Scopes   []string `json:"scopes"`
	AgentIDs []string `json:"agentIds"`
	// Types of obligations that its holder keeps.
	KeepsObligations []string `json:"keepsObligations"`
	// Words of your own; a fact for policies.
	Tags []string `json:"tags"`
	// Where it works.
	// One of: live, test, dev.
	Environment string `json:"environment"`
	// Its rate limit: see GET /v1/reference/rate-limits.
	Tier int64 `json:"tier"`
	// RFC 3339, UTC, milliseconds.
	CreatedAt string  `json:"createdAt"`
	ExpiresAt *string `json:"expiresAt"`
	// The key itself. Shown only once, and not in a repeat with an Idempotency-Key; only a hash is stored.
	Key *string `json:"key,omitempty"`
}

// KeyList is part of the API's requests or answers.
type KeyList struct {
	// One page of them.
	Items      []Key   `json:"items"`
	NextCursor *string `json:"nextCursor"`
}

// KeyRotate is part of the API's requests or answers.
type KeyRotate struct {
	// How long the old key stays valid: a number and a unit letter (m, h, d, w), 0m (it ends at once) to 30d. Default: 1h.
	Overlap *string `json:"overlap,omitempty"`
}

// KeyRotatedReplaces is part of the API's requests or answers.
// The old key, and when it ends.
type KeyRotatedReplaces struct {
	// Names the key; not secret.
	KeyID string `json:"keyId"`
	// RFC 3339, UTC, milliseconds.
	ExpiresAt string `json:"expiresAt"`
}

// KeyRotated is part of the API's requests or answers.
type KeyRotated struct {
	// Names the key; not secret.
	KeyID string `json:"keyId"`
	// For people.
	Name string `json:"name"`
	// What it may do: see GET /v1/reference/scopes.
	// One of: agents:read, agents:write, intents:write, trust:read, trust:write, proofs:read, admin:*.
	Scopes   []string `json:"scopes"`
	AgentIDs []string `json:"agentIds"`
	// Types of obligations that its holder keeps.
	KeepsObligations []string `json:"keepsObligations"`
	// Words of your own; a fact for policies.
	Tags []string `json:"tags"`
	// Where it works.
	// One of: live, test, dev.
	Environment string `json:"environment"`
	// Its rate limit: see GET /v1/reference/rate-limits.
	Tier int64 `json:"tier"`
	// RFC 3339, UTC, milliseconds.
	CreatedAt string  `json:"createdAt"`
	ExpiresAt *string `json:"expiresAt"`
	// The key itself. Shown only once, and not in a repeat with an Idempotency-Key; only a hash is stored.
	Key *string `json:"key,omitempty"`
	// The old key, and when it ends.
	Replaces KeyRotatedReplaces `json:"replaces"`
}

// LeafHashes is part of the API's requests or answers.
// At most 1,000 hashes; `to` is the end of the returned range.
type LeafHashes struct {
	// The smaller number of leaves.
	From int64 `json:"from"`
	// The larger one.
	To int64 `json:"to"`
	// Of the leaves from `from` up to `to`.
	Hashes []string `json:"hashes"`
}

// LogKeysItems is part of the API's requests or answers.
type LogKeysItems struct {
	// Its thumbprint (RFC 7638).
	KeyID string `json:"keyId"`
	// A C2SP note verifier key, named by the origin of the log, or `<origin>/promise`.
	Vkey string `json:"vkey"`
	// What it signs: checkpoints, or promises.
	// One of: log, promise.
	Use string `json:"use"`
	// The smallest tree that it may sign; 0 of a promise key.
	FirstSize int64  `json:"firstSize"`
	LastSize  *int64 `json:"lastSize"`
}

// LogKeys is part of the API's requests or answers.
type LogKeys struct {
	// One page of them.
	Items      []LogKeysItems `json:"items"`
	NextCursor *string        `json:"nextCursor"`
}

// Obligation is part of the API's requests or answers.
// What the caller must do after DEGRADE: redact_fields {fields}, max_rows {limit}, read_only, rate {limit, perSeconds}, or another kind with its data in params. A caller that does not know a kind must not act.
type Obligation struct {
	// The kind.
	Type string `json:"type"`
	// More holds the members that have no field.
	More map[string]any `json:"-"`
}

// MarshalJSON writes the fields and the members of More.
func (v Obligation) MarshalJSON() ([]byte, error) {
	type fields Obligation
	return marshalOpen(fields(v), v.More)
}

// UnmarshalJSON keeps members without a field in More.
func (v *Obligation) UnmarshalJSON(text []byte) error {
	return unmarshalAnswer(text, v)
}

// OutcomeAnswer is part of the API's requests or answers.
type OutcomeAnswer struct {
	// The decision.
	DecisionID string `json:"decisionId"`
	// done: the action was carried out. failed: it was tried and failed. not_carried_out: it was not tried, and will not be.
	// One of: done, failed, not_carried_out.
	Outcome string  `json:"outcome"`
	Detail  *string `json:"detail"`
	// RFC 3339, UTC, milliseconds.
	ReportedAt string `json:"reportedAt"`
}

// OutcomeRequest is part of the API's requests or answers.
type OutcomeRequest struct {
	// done: the action was carried out. failed: it was tried and failed. not_carried_out: it was not tried, and will not be.
	// One of: done, failed, not_carried_out.
	Outcome string `json:"outcome"`
	// Stored in the log permanently.
	Detail *string `json:"detail,omitempty"`
}

// PolicyActivation is part of the API's requests or answers.
type PolicyActivation struct {
	// RFC 3339, UTC, milliseconds.
	ActivatedAt string `json:"activatedAt"`
	// SHA-256, in hex, of the canonical JSON of the set.
	Digest         string  `json:"digest"`
	PreviousDigest *string `json:"previousDigest"`
	Organisation   *string `json:"organisation"`
	// `folder`, the id of a key, or `cli:` and the name of a user of the shell.
	Author string  `json:"author"`
	Reason *string `json:"reason"`
	// Where the set comes from.
	// One of: folder, push, rollback, stage.
	Source   string  `json:"source"`
	Approver *string `json:"approver"`
	Signer   *string `json:"signer"`
}

// PolicyActivationList is part of the API's requests or answers.
type PolicyActivationList struct {
	// One page of them.
	Items      []PolicyActivation `json:"items"`
	NextCursor *string            `json:"nextCursor"`
}

// PolicyApproval is part of the API's requests or answers.
// A change that waits for the approval of a second person, or waited.
type PolicyApproval struct {
	// Names it.
	ApprovalID string `json:"approvalId"`
	// used: approved, and put into force; superseded: another set was put into force before it was decided.
	// One of: pending, used, rejected, superseded, expired.
	Status string `json:"status"`
	// SHA-256, in hex, of the canonical JSON of the set.
	Digest         string  `json:"digest"`
	PreviousDigest *string `json:"previousDigest"`
	// `folder`, the id of a key, or `cli:` and the name of a user of the shell.
	Author string  `json:"author"`
	Reason *string `json:"reason"`
	// Where the set comes from.
	// One of: folder, push, rollback, stage.
	Source    string  `json:"source"`
	Signer    *string `json:"signer"`
	Signature *string `json:"signature"`
	// RFC 3339, UTC, milliseconds.
	CreatedAt string `json:"createdAt"`
	// RFC 3339, UTC, milliseconds.
	ExpiresAt      string  `json:"expiresAt"`
	DecidedAt      *string `json:"decidedAt"`
	DecidedBy      *string `json:"decidedBy"`
	DecisionReason *string `json:"decisionReason"`
	// Absent: for all. Of a dropped stage: `{"drop": true}`.
	Stage map[string]any `json:"stage,omitempty"`
	// Approvals while CUSTOS_POLICY_QUORUM demands more.
	Votes []ApprovalVote `json:"votes"`
}

// PolicyApprovalDetailAuthorKey is part of the API's requests or answers.
// The key of the author, as it is now. Null: the folder, or a user of the shell.
type PolicyApprovalDetailAuthorKey struct {
	// Its name.
	Name string `json:"name"`
	// Its tags.
	Tags []string `json:"tags"`
	// More holds the members that have no field.
	More map[string]any `json:"-"`
}

// MarshalJSON writes the fields and the members of More.
func (v PolicyApprovalDetailAuthorKey) MarshalJSON() ([]byte, error) {
	type fields PolicyApprovalDetailAuthorKey
	return marshalOpen(fields(v), v.More)
}

// UnmarshalJSON keeps members without a field in More.
func (v *PolicyApprovalDetailAuthorKey) UnmarshalJSON(text []byte) error {
	return unmarshalAnswer(text, v)
}

// PolicyApprovalDetail is part of the API's requests or answers.
type PolicyApprovalDetail struct {
	// Names it.
	ApprovalID string `json:"approvalId"`
	// used: approved, and put into force; superseded: another set was put into force before it was decided.
	// One of: pending, used, rejected, superseded, expired.
	Status string `json:"status"`
	// SHA-256, in hex, of the canonical JSON of the set.
	Digest         string  `json:"digest"`
	PreviousDigest *string `json:"previousDigest"`
	// `folder`, the id of a key, or `cli:` and the name of a user of the shell.
	Author string  `json:"author"`
	Reason *string `json:"reason"`
	// Where the set comes from.
	// One of: folder, push, rollback, stage.
	Source    string  `json:"source"`
	Signer    *string `json:"signer"`
	Signature *string `json:"signature"`
	// RFC 3339, UTC, milliseconds.
	CreatedAt string `json:"createdAt"`
	// RFC 3339, UTC, milliseconds.
	ExpiresAt      string  `json:"expiresAt"`
	DecidedAt      *string `json:"decidedAt"`
	DecidedBy      *string `json:"decidedBy"`
	DecisionReason *string `json:"decisionReason"`
	// Absent: for all. Of a dropped stage: `{"drop": true}`.
	Stage map[string]any `json:"stage,omitempty"`
	// Approvals while CUSTOS_POLICY_QUORUM demands more.
	Votes     []ApprovalVote                 `json:"votes"`
	AuthorKey *PolicyApprovalDetailAuthorKey `json:"authorKey"`
	// Whether the calling key may decide while it is pending.
	MayDecide  bool              `json:"mayDecide"`
	Comparison *PolicyComparison `json:"comparison,omitempty"`
}

// PolicyApprovalList is part of the API's requests or answers.
type PolicyApprovalList struct {
	// One page of them.
	Items      []PolicyApproval `json:"items"`
	NextCursor *string          `json:"nextCursor"`
}

// PolicyChangeResult is part of the API's requests or answers.
type PolicyChangeResult struct {
	// unchanged: in force already; waiting: for `approval`; staged: see GET /v1/policies/stages; dropped: no longer staged; checked: dryRun.
	// One of: activated, unchanged, waiting, staged, dropped, checked.
	Status string `json:"status"`
	// With staged and dropped: the slugs of the organisations concerned.
	Organisations []string `json:"organisations,omitempty"`
	// SHA-256, in hex, of the canonical JSON of the set.
	Digest         string  `json:"digest"`
	PreviousDigest *string `json:"previousDigest"`
	// `folder`, the id of a key, or `cli:` and the name of a user of the shell.
	Author string  `json:"author"`
	Reason *string `json:"reason"`
	// Where the set comes from.
	// One of: folder, push, rollback, stage.
	Source     string            `json:"source"`
	Signer     *string           `json:"signer"`
	Approval   *PolicyApproval   `json:"approval,omitempty"`
	Comparison *PolicyComparison `json:"comparison,omitempty"`
	// Warnings.
	Findings []Finding `json:"findings"`
}

// PolicyComparisonParts is part of the API's requests or answers.
type PolicyComparisonParts struct {
	// The id of a policy, `tools/` and a server, `lexicon`, ...
	Name string `json:"name"`
	// What happens to it.
	// One of: added, removed, changed.
	Change string `json:"change"`
}

// PolicyComparisonExamples is part of the API's requests or answers.
type PolicyComparisonExamples struct {
	// The changed rule, as `policy/rule`.
	Rule string `json:"rule"`
	// The set that has the rule.
	// One of: before, after.
	In string `json:"in"`
	// The action and the resource of the request.
	Intent string `json:"intent"`
	// live, test or dev.
	Environment string `json:"environment"`
	// The facts that the rule reads; null: missing.
	Facts map[string]any `json:"facts"`
	// The verdict.
	// One of: ALLOW, DENY, ESCALATE, DEGRADE.
	Before string `json:"before"`
	// The verdict.
	// One of: ALLOW, DENY, ESCALATE, DEGRADE.
	After string `json:"after"`
	// In what they differ.
	// One of: verdict, obligations, approvers, ttl, budgets.
	Differs []string `json:"differs"`
}

// PolicyComparison is part of the API's requests or answers.
// The difference of two sets; absent when this version can not load one of them.
type PolicyComparison struct {
	// SHA-256, in hex, of the canonical JSON of the set.
	Before string `json:"before"`
	// SHA-256, in hex, of the canonical JSON of the set.
	After string `json:"after"`
	// The parts that differ.
	Parts []PolicyComparisonParts `json:"parts"`
	// Requests that the sets answer differently, at most one for each changed rule.
	Examples []PolicyComparisonExamples `json:"examples"`
	// Changed rules for which the limited search found no such request.
	WithoutExample []string `json:"withoutExample"`
}

// PolicySetStatusOwnMisfits is part of the API's requests or answers.
type PolicySetStatusOwnMisfits struct {
	// The id of the own policy.
	Policy string `json:"policy"`
	// RFC 6901, into the policy.
	Pointer string `json:"pointer"`
	// Why it does not fit.
	Message string `json:"message"`
}

// PolicySetStatusOwn is part of the API's requests or answers.
// The organisation's own policies; absent without any, and for the operator.
type PolicySetStatusOwn struct {
	// Their ids among `policies`.
	Policies []string `json:"policies"`
	Author   *string  `json:"author"`
	Reason   *string  `json:"reason"`
	// Own policies that are no longer valid beside the installation's set. Each denies its target until it is pushed again.
	Misfits []PolicySetStatusOwnMisfits `json:"misfits"`
}

// PolicySetStatusOrganisations is part of the API's requests or answers.
// An organisation whose set is not the installation's. `digest` null: its row was changed past the service, and its requests are refused.
type PolicySetStatusOrganisations struct {
	// The slug.
	Organisation string  `json:"organisation"`
	Digest       *string `json:"digest"`
	// Whether the organisation has policies of its own.
	HasOwn bool    `json:"hasOwn"`
	Staged *string `json:"staged"`
	Author *string `json:"author"`
	Reason *string `json:"reason"`
	// Own policies that are no longer valid beside the installation's set. Each denies its target until it is pushed again.
	Misfits []PolicySetStatusOwnMisfits `json:"misfits"`
}

// PolicySetStatusFolder is part of the API's requests or answers.
// The policy folder. `digest` is that of its last valid content, null while it has errors.
type PolicySetStatusFolder struct {
	Digest *string `json:"digest"`
	// Whether edits come into force. False after a push or a rollback, until POST /v1/policies/follow-folder.
	IsFollowed bool `json:"isFollowed"`
}

// PolicySetStatusLastRead is part of the API's requests or answers.
// The last reading of the policy folder. A refused folder leaves the active set in force.
type PolicySetStatusLastRead struct {
	At *string `json:"at"`
	// Whether the folder was accepted.
	Ok bool `json:"ok"`
	// Problems and warnings.
	Findings []Finding `json:"findings"`
}

// PolicySetStatus is part of the API's requests or answers.
type PolicySetStatus struct {
	// The organisation's own policies; absent without any, and for the operator.
	Own *PolicySetStatusOwn `json:"own,omitempty"`
	// For the operator: organisations whose set is not the installation's.
	Organisations []PolicySetStatusOrganisations `json:"organisations,omitempty"`
	// SHA-256, in hex, of the canonical JSON of the set.
	Digest string `json:"digest"`
	// RFC 3339, UTC, milliseconds.
	ActivatedAt string `json:"activatedAt"`
	// `folder`, the id of a key, or `cli:` and the name of a user of the shell.
	Author string  `json:"author"`
	Reason *string `json:"reason"`
	// Where the set comes from.
	// One of: folder, push, rollback, stage.
	Source string `json:"source"`
	// The attributes of agents and resources: see /schemas/attributes.json.
	Attributes map[string]any   `json:"attributes,omitempty"`
	Policies   []map[string]any `json:"policies"`
	Resources  []map[string]any `json:"resources,omitempty"`
	// Named conditions and constants: see /schemas/terms.json.
	Terms map[string]any   `json:"terms,omitempty"`
	Tools []map[string]any `json:"tools,omitempty"`
	// The policy folder. `digest` is that of its last valid content, null while it has errors.
	Folder PolicySetStatusFolder `json:"folder"`
	// The last reading of the policy folder. A refused folder leaves the active set in force.
	LastRead PolicySetStatusLastRead `json:"lastRead"`
}

// PolicyStage is part of the API's requests or answers.
// In force for `organisations`; with `share` in shadow for `shareOf` (null: all).
type PolicyStage struct {
	// SHA-256, in hex, of the canonical JSON of the set.
	Digest string `json:"digest"`
	// `folder`, the id of a key, or `cli:` and the name of a user of the shell.
	Author string  `json:"author"`
	Reason *string `json:"reason"`
	// RFC 3339, UTC, milliseconds.
	StagedAt string `json:"stagedAt"`
	// Slugs.
	Organisations []string       `json:"organisations"`
	Share         *float64       `json:"share"`
	ShareOf       []string       `json:"shareOf"`
	Shadow        *ShadowedDraft `json:"shadow"`
}

// PolicyStageList is part of the API's requests or answers.
type PolicyStageList struct {
	// One page of them.
	Items      []PolicyStage `json:"items"`
	NextCursor *string       `json:"nextCursor"`
}

// Problem is part of the API's requests or answers.
// Why a request was refused or failed (RFC 9457).
type Problem struct {
	// a reference that names the kind of problem
	Type string `json:"type"`
	// the name of the code
	Title string `json:"title"`
	// the HTTP status
	Status int64 `json:"status"`
	// what was wrong with this request, and what to do
	Detail string `json:"detail"`
	// the same as `detail`, under the name that clients of other services read
	Message string `json:"message"`
	// the path of the request
	Instance string `json:"instance"`
	// what happened: see GET /v1/reference/errors
	// One of: E1001, E1002, E1003, E1004, E2001, E2005, E2006, E2009, E2010, E3001, E4001, E4002, E4003, E4004, E4005, E4006, E5001, E5002, E5003, E5004, E6001, E6002.
	Code string `json:"code"`
	// the kind of the code
	// One of: authentication, validation, limit, not_found, conflict, internal.
	Category string `json:"category"`
	// whether the same request may succeed later
	Retryable bool `json:"retryable"`
	// X-Request-Id of the answer
	RequestID string `json:"requestId"`
	// the members that are wrong, at most 20
	Errors []FieldError `json:"errors,omitempty"`
}

// Promise is part of the API's requests or answers.
// A signed promise that the record will be in the log by the deadline, with `signature` or `batch`. `custos verify promise.json --log FILE` detects a broken one.
type Promise struct {
	// Origin of the log.
	Log string `json:"log"`
	// Names the record.
	ProofID string `json:"proofId"`
	// SHA-256 of the record's canonical bytes without its previousHash, lower-case hex.
	RecordDigest string `json:"recordDigest"`
	// RFC 3339, UTC, milliseconds.
	IssuedAt string `json:"issuedAt"`
	// RFC 3339, UTC, milliseconds.
	Deadline string `json:"deadline"`
	// The thumbprint of the promise key.
	KeyID string `json:"keyId"`
	// Ed25519, base64, of this promise alone; /v1/log/keys has the key.
	Signature *string       `json:"signature,omitempty"`
	Batch     *PromiseBatch `json:"batch,omitempty"`
}

// PromiseBatch is part of the API's requests or answers.
// One signature for several promises of a log.
type PromiseBatch struct {
	// How many promises were signed together.
	Size int64 `json:"size"`
	// The place of this promise among them.
	Index int64 `json:"index"`
	// The inclusion path (RFC 9162), nearest first.
	Path []string `json:"path"`
	// Ed25519, base64, of the root and the size.
	Signature string `json:"signature"`
}

// PromotePoliciesRequest is part of the API's requests or answers.
type PromotePoliciesRequest struct {
	// Of the set: SHA-256, lower-case hex.
	Digest string `json:"digest"`
	// Why; stored in every log permanently.
	Reason string `json:"reason"`
	// The set that must be in force; else 409.
	ExpectedDigest *string `json:"expectedDigest,omitempty"`
	// The line of `custos policy sign`; required with CUSTOS_POLICY_SIGNERS.
	Signature *string `json:"signature,omitempty"`
}

// Proof is part of the API's requests or answers.
type Proof struct {
	// Names the record.
	ProofID string `json:"proofId"`
	// It is in the log.
	// One of: anchored.
	Status string `json:"status"`
	// What is proven.
	Event string `json:"event"`
	// What the record is about.
	EntityID string  `json:"entityId"`
	Record   *string `json:"record"`
	// Position in the log.
	Index int64 `json:"index"`
	// Position in the entity's chain.
	ChainIndex int64 `json:"chainIndex"`
	// SHA-256 of the record.
	EventHash string `json:"eventHash"`
	// The eventHash of the record before it in the entity's chain.
	PreviousHash string `json:"previousHash"`
	// RFC 3339, UTC, milliseconds.
	OccurredAt string `json:"occurredAt"`
	// RFC 3339, UTC, milliseconds.
	AnchoredAt string `json:"anchoredAt"`
}

// ProofAccepted is part of the API's requests or answers.
type ProofAccepted struct {
	// Names the record.
	ProofID string `json:"proofId"`
	// pending: accepted and durable; anchored: in the log.
	// One of: pending, anchored.
	Status string `json:"status"`
	// SHA-256 of JCS of the record without its previousHash, lower-case hex.
	RecordDigest string  `json:"recordDigest"`
	Promise      Promise `json:"promise"`
}

// ProofBatchAccepted is part of the API's requests or answers.
type ProofBatchAccepted struct {
	// In the order of the request.
	Proofs []ProofAccepted `json:"proofs"`
}

// ProofBatchCreate is part of the API's requests or answers.
type ProofBatchCreate struct {
	// Anchored in this order.
	Proofs []ProofCreate `json:"proofs"`
}

// ProofChainHead is part of the API's requests or answers.
// The newest record of the chain; null: there is none.
type ProofChainHead struct {
	// Its position in the chain.
	ChainIndex int64 `json:"chainIndex"`
	// SHA-256 of the record.
	EventHash string `json:"eventHash"`
}

// ProofChain is part of the API's requests or answers.
type ProofChain struct {
	// What the record is about.
	EntityID string          `json:"entityId"`
	Head     *ProofChainHead `json:"head"`
	// One page of them.
	Items      []Proof `json:"items"`
	NextCursor *string `json:"nextCursor"`
}

// ProofCreate is part of the API's requests or answers.
type ProofCreate struct {
	// What is proven: 1 to 256 characters, no control characters, not beginning with "custos.".
	Event string `json:"event"`
	// 1 to 256 characters, no control characters, not "." or "..", not beginning with "custos:".
	EntityID string `json:"entityId"`
	// Any JSON object. It is stored permanently, unchanged.
	Payload map[string]any `json:"payload"`
	// 1 to 256 characters, no control characters, not "." or "..", not beginning with "custos:".
	ProofID *string `json:"proofId,omitempty"`
}

// ProofList is part of the API's requests or answers.
type ProofList struct {
	// One page of them.
	Items      []ProofListItem `json:"items"`
	NextCursor *string         `json:"nextCursor"`
}

// ProofListItem is part of the API's requests or answers.
type ProofListItem struct {
	// Names the record.
	ProofID string `json:"proofId"`
	// pending: accepted and durable; anchored: in the log.
	// One of: pending, anchored.
	Status string `json:"status"`
	// What is proven.
	Event string `json:"event"`
	// What the record is about.
	EntityID string `json:"entityId"`
	Index    *int64 `json:"index"`
	// RFC 3339, UTC, milliseconds.
	OccurredAt string `json:"occurredAt"`
}

// PushPoliciesRequestFiles is part of the API's requests or answers.
type PushPoliciesRequestFiles struct {
	// Relative to the policy folder, with `/`, such as `payments/refunds.json`. Each only once.
	Path string `json:"path"`
	// The text of the file.
	Text string `json:"text"`
}

// PushPoliciesRequestStage is part of the API's requests or answers.
// For some organisations, or with `share` only in shadow; see POST /v1/policies/promote.
type PushPoliciesRequestStage struct {
	// The organisations concerned; the others keep their set.
	Organisations []string `json:"organisations,omitempty"`
	// Share of live decisions that are evaluated under the set in shadow.
	Share *float64 `json:"share,omitempty"`
}

// PushPoliciesRequest is part of the API's requests or answers.
type PushPoliciesRequest struct {
	// The whole set: what is not among them is no longer in force. Without a lexicon that in force stays; E5002 when another set comes into force while the files are checked.
	Files []PushPoliciesRequestFiles `json:"files"`
	// Why; stored in every log permanently.
	Reason string `json:"reason"`
	// The set that must be in force; else 409.
	ExpectedDigest *string `json:"expectedDigest,omitempty"`
	// The line of `custos policy sign`; required with CUSTOS_POLICY_SIGNERS.
	Signature *string `json:"signature,omitempty"`
	// Only check and compare.
	DryRun *bool `json:"dryRun,omitempty"`
	// For some organisations, or with `share` only in shadow; see POST /v1/policies/promote.
	Stage *PushPoliciesRequestStage `json:"stage,omitempty"`
}

// Readiness is part of the API's requests or answers.
type Readiness struct {
	// Whether requests may be sent here.
	// One of: ready, not_ready, stopping.
	Status string `json:"status"`
	// One for each part whose state is known.
	Checks []ReadinessCheck `json:"checks"`
	// parts that are down and that the service can do without for a while
	Degraded []string `json:"degraded"`
	// parts whose state could not be read now, for example because the database is away
	Unknown []string `json:"unknown"`
	// halted environments, when they could be read; for the operator only
	Halted []HaltedEnvironment `json:"halted,omitempty"`
}

// ReadinessCheck is part of the API's requests or answers.
type ReadinessCheck struct {
	// The part.
	Name string `json:"name"`
	// Whether it works.
	Ok bool `json:"ok"`
	// Why it does not; for the operator only.
	Detail *string `json:"detail,omitempty"`
}

// Reason is part of the API's requests or answers.
type Reason struct {
	// The id of the policy, or of the rules that the service itself has.
	Policy string `json:"policy"`
	// The name of its rule.
	Rule string `json:"rule"`
	// What the rule demands.
	// One of: ALLOW, DENY, ESCALATE, DEGRADE.
	Effect string `json:"effect"`
	// For programs: stable while the rule keeps its meaning.
	Code string `json:"code"`
	// For people.
	Message string `json:"message"`
}

// Receipt is part of the API's requests or answers.
type Receipt struct {
	// The version of this form.
	Format string `json:"format"`
	// A receipt is of an anchored record.
	// One of: anchored.
	Status string `json:"status"`
	// Names the record.
	ProofID string `json:"proofId"`
	// Base64 of the canonical bytes.
	Record string `json:"record"`
	// Position in the log.
	Index int64 `json:"index"`
	// The inclusion path, nearest first.
	Path []string `json:"path"`
	// A signed note (C2SP tlog-checkpoint), the only source of size and root.
	Checkpoint string `json:"checkpoint"`
}

// ReferenceError is part of the API's requests or answers.
type ReferenceError struct {
	// The code.
	Code string `json:"code"`
	// The HTTP statuses that it can have.
	Statuses []int64 `json:"statuses"`
	// Its name.
	Title string `json:"title"`
	// Its kind.
	Category string `json:"category"`
	// Whether the same request may succeed later.
	Retryable bool `json:"retryable"`
	// When it is given.
	When string `json:"when"`
}

// ReferenceRateLimit is part of the API's requests or answers.
type ReferenceRateLimit struct {
	// Of a key: 0 to 7.
	Tier int64 `json:"tier"`
	// Requests in each second.
	PerSecond int64 `json:"perSecond"`
	// Requests in each minute.
	PerMinute int64 `json:"perMinute"`
}

// ReferenceScope is part of the API's requests or answers.
type ReferenceScope struct {
	// The scope.
	Scope string `json:"scope"`
	// What it permits.
	Permits string `json:"permits"`
}

// ReferenceTier is part of the API's requests or answers.
type ReferenceTier struct {
	// 0 to 7.
	Level int64 `json:"level"`
	// Its name.
	Name string `json:"name"`
	// The lowest score.
	From int64 `json:"from"`
	// The highest score.
	To int64 `json:"to"`
}

// ReplayDraft is part of the API's requests or answers.
// What is evaluated.
type ReplayDraft struct {
	// Of a policy set, SHA-256, lower-case hex.
	Digest string `json:"digest"`
}

// ReplayProgress is part of the API's requests or answers.
// Counted in decisions.
type ReplayProgress struct {
	// Decisions that are done.
	Replayed int64 `json:"replayed"`
	// All of the range.
	Total int64 `json:"total"`
}

// Replay is part of the API's requests or answers.
type Replay struct {
	// For GET /v1/policies/replays/{id}.
	ReplayID string `json:"replayId"`
	// How far the job is.
	// One of: queued, running, done, failed.
	Status string `json:"status"`
	// What is evaluated.
	Draft ReplayDraft `json:"draft"`
	// Counted in decisions.
	Progress ReplayProgress `json:"progress"`
	// RFC 3339, UTC, milliseconds.
	CreatedAt  string        `json:"createdAt"`
	FinishedAt *string       `json:"finishedAt"`
	Error      *string       `json:"error"`
	Report     *ReplayReport `json:"report"`
}

// ReplayReportDraft is part of the API's requests or answers.
// What was evaluated.
type ReplayReportDraft struct {
	// Of a policy set, SHA-256, lower-case hex.
	Digest string `json:"digest"`
	// Its number of policies.
	Policies int64 `json:"policies"`
}

// ReplayReportRange is part of the API's requests or answers.
// Which decisions.
type ReplayReportRange struct {
	From *string `json:"from"`
	// RFC 3339, UTC, milliseconds.
	To           string  `json:"to"`
	Organisation *string `json:"organisation"`
	Environment  *string `json:"environment"`
	AgentID      *string `json:"agentId"`
	Limit        *int64  `json:"limit"`
}

// ReplayReportTransitions is part of the API's requests or answers.
type ReplayReportTransitions struct {
	// The recorded verdict.
	// One of: ALLOW, DENY, ESCALATE, DEGRADE.
	From string `json:"from"`
	// The verdict under the draft.
	// One of: ALLOW, DENY, ESCALATE, DEGRADE.
	To string `json:"to"`
	// How many.
	Decisions int64 `json:"decisions"`
}

// ReplayReportSets is part of the API's requests or answers.
type ReplayReportSets struct {
	// Of a policy set, SHA-256, lower-case hex.
	Digest string `json:"digest"`
	// How many it made.
	Decisions int64 `json:"decisions"`
	// Whether its lexicon is the draft's.
	// One of: same, other, unknown.
	Lexicon string `json:"lexicon"`
}

// ReplayReport is part of the API's requests or answers.
// What the draft would have decided otherwise.
type ReplayReport struct {
	// What was evaluated.
	Draft ReplayReportDraft `json:"draft"`
	// Which decisions.
	Range     ReplayReportRange     `json:"range"`
	Decisions ReplayReportDecisions `json:"decisions"`
	Changed   ReplayReportChanged   `json:"changed"`
	// The same verdict and obligations for other reasons.
	OtherReasons int64 `json:"otherReasons"`
	// The changes of verdicts.
	Transitions  []ReplayReportTransitions `json:"transitions"`
	Rules        ReplayReportRules         `json:"rules"`
	Agents       ReplayReportAgents        `json:"agents"`
	Resources    ReplayReportResources     `json:"resources"`
	Environments ReplayReportEnvironments  `json:"environments"`
	// For each transition up to 20, each agent, resource and reasons once, and five with the same reasons.
	Examples []ReplayReportExamples `json:"examples"`
	// The policy sets of the decisions, and whether their lexicon is that of the draft.
	Sets []ReplayReportSets `json:"sets"`
	// Caveats, as sentences.
	Notes []string `json:"notes"`
}

// ReplayReportAgentsItems is part of the API's requests or answers.
type ReplayReportAgentsItems struct {
	// Its slug.
	Organisation string `json:"organisation"`
	// live, test or dev.
	Environment string `json:"environment"`
	// The agent.
	AgentID string `json:"agentId"`
	// Changed decisions.
	Decisions int64 `json:"decisions"`
	// Those whose verdict is stricter under the draft.
	Stricter int64 `json:"stricter"`
	// Those whose verdict is looser under the draft.
	Looser int64 `json:"looser"`
}

// ReplayReportAgents is part of the API's requests or answers.
// Changed decisions by agent.
type ReplayReportAgents struct {
	// The largest first.
	Items []ReplayReportAgentsItems `json:"items"`
	// Further entries, not shown.
	More int64 `json:"more"`
	// Changes of entries that were too many to be counted one by one.
	Beyond int64 `json:"beyond"`
}

// ReplayReportChanged is part of the API's requests or answers.
// How many would be different.
type ReplayReportChanged struct {
	// Changed decisions.
	Decisions int64 `json:"decisions"`
	// Those whose verdict is stricter under the draft.
	Stricter int64 `json:"stricter"`
	// Those whose verdict is looser under the draft.
	Looser int64 `json:"looser"`
	// DEGRADE, with other obligations.
	Obligations int64 `json:"obligations"`
	// ESCALATE, with other approvers.
	Approvers int64 `json:"approvers"`
	// ESCALATE, with another lifetime.
	Ttl int64 `json:"ttl"`
	// From other budgets.
	Budgets int64 `json:"budgets"`
}

// ReplayReportDecisionsNotEvaluable is part of the API's requests or answers.
// Those that could not be evaluated again.
type ReplayReportDecisionsNotEvaluable struct {
	// All of them.
	Total int64 `json:"total"`
	// Retention has erased their facts.
	FactsErased int64 `json:"factsErased"`
	// Record or facts were altered; `custos decision verify` gives details.
	Damaged int64 `json:"damaged"`
	// Their facts do not give the recorded result under the set that made them.
	NotReproduced int64 `json:"notReproduced"`
}

// ReplayReportDecisions is part of the API's requests or answers.
// How many decisions were looked at.
type ReplayReportDecisions struct {
	// All of the range.
	Total int64 `json:"total"`
	// Those that were evaluated again.
	Evaluated int64 `json:"evaluated"`
	// Answers that do not depend on policies: halts, refused approvals, failed evaluations.
	Standing int64 `json:"standing"`
	// Those that could not be evaluated again.
	NotEvaluable ReplayReportDecisionsNotEvaluable `json:"notEvaluable"`
}

// ReplayReportEnvironmentsItems is part of the API's requests or answers.
type ReplayReportEnvironmentsItems struct {
	// Its slug.
	Organisation string `json:"organisation"`
	// live, test or dev.
	Environment string `json:"environment"`
	// Changed decisions.
	Decisions int64 `json:"decisions"`
	// Those whose verdict is stricter under the draft.
	Stricter int64 `json:"stricter"`
	// Those whose verdict is looser under the draft.
	Looser int64 `json:"looser"`
}

// ReplayReportEnvironments is part of the API's requests or answers.
// Changed decisions by organisation and environment.
type ReplayReportEnvironments struct {
	// The largest first.
	Items []ReplayReportEnvironmentsItems `json:"items"`
	// Further entries, not shown.
	More int64 `json:"more"`
	// Changes of entries that were too many to be counted one by one.
	Beyond int64 `json:"beyond"`
}

// ReplayReportExamplesTool is part of the API's requests or answers.
// The tool that was called; absent for other questions.
type ReplayReportExamplesTool struct {
	// The source of the tool.
	Server string `json:"server"`
	// Its name.
	Name string `json:"name"`
}

// ReplayReportExamplesBefore is part of the API's requests or answers.
// As it was recorded.
type ReplayReportExamplesBefore struct {
	// The verdict.
	// One of: ALLOW, DENY, ESCALATE, DEGRADE.
	Verdict string `json:"verdict"`
	// The first five.
	Reasons []Reason `json:"reasons"`
	// Its obligations.
	Obligations []map[string]any `json:"obligations"`
}

// ReplayReportExamplesAfter is part of the API's requests or answers.
// Under the draft.
type ReplayReportExamplesAfter struct {
	// The verdict.
	// One of: ALLOW, DENY, ESCALATE, DEGRADE.
	Verdict string `json:"verdict"`
	// The first five.
	Reasons []Reason `json:"reasons"`
	// Its obligations.
	Obligations []map[string]any `json:"obligations"`
}

// ReplayReportExamples is part of the API's requests or answers.
type ReplayReportExamples struct {
	// The decision.
	DecisionID string `json:"decisionId"`
	// RFC 3339, UTC, milliseconds.
	EvaluatedAt string `json:"evaluatedAt"`
	// Its slug.
	Organisation string `json:"organisation"`
	// live, test or dev.
	Environment string `json:"environment"`
	// The agent.
	AgentID string `json:"agentId"`
	// The normalized intent.
	Intent string `json:"intent"`
	// The canonical resource.
	Resource string `json:"resource"`
	// The tool that was called; absent for other questions.
	Tool *ReplayReportExamplesTool `json:"tool,omitempty"`
	// As it was recorded.
	Before ReplayReportExamplesBefore `json:"before"`
	// Under the draft.
	After ReplayReportExamplesAfter `json:"after"`
	// In what they differ.
	// One of: verdict, obligations, approvers, ttl, budgets.
	Differs []string `json:"differs,omitempty"`
}

// ReplayReportResourcesItems is part of the API's requests or answers.
type ReplayReportResourcesItems struct {
	// The canonical resource.
	Resource string `json:"resource"`
	// Changed decisions.
	Decisions int64 `json:"decisions"`
	// Those whose verdict is stricter under the draft.
	Stricter int64 `json:"stricter"`
	// Those whose verdict is looser under the draft.
	Looser int64 `json:"looser"`
}

// ReplayReportResources is part of the API's requests or answers.
// Changed decisions by resource.
type ReplayReportResources struct {
	// The largest first.
	Items []ReplayReportResourcesItems `json:"items"`
	// Further entries, not shown.
	More int64 `json:"more"`
	// Changes of entries that were too many to be counted one by one.
	Beyond int64 `json:"beyond"`
}

// ReplayReportRulesItems is part of the API's requests or answers.
type ReplayReportRulesItems struct {
	// The id of the policy.
	Policy string `json:"policy"`
	// The name of its rule.
	Rule string `json:"rule"`
	// What it demands.
	// One of: ALLOW, DENY, ESCALATE, DEGRADE.
	Effect string `json:"effect"`
	// Decisions that have it as a reason under the draft only.
	Newly int64 `json:"newly"`
	// Decisions that have it as a reason in the record only.
	NoLonger int64 `json:"noLonger"`
}

// ReplayReportRules is part of the API's requests or answers.
// Changed decisions by rules that are newly, or no longer, among their reasons.
type ReplayReportRules struct {
	// The largest first.
	Items []ReplayReportRulesItems `json:"items"`
	// Further entries, not shown.
	More int64 `json:"more"`
	// Changes of entries that were too many to be counted one by one.
	Beyond int64 `json:"beyond"`
}

// ReplayRequestFiles is part of the API's requests or answers.
type ReplayRequestFiles struct {
	// The kind of file, and what findings name: `tools/...` a tool catalogue, `resources/...` a resource, attributes.json, terms.json, authzen.json, lexicon.json or `lexicon/...`; else a policy.
	Path string `json:"path"`
	// The text of the file.
	Text string `json:"text"`
}

// ReplayRequest is part of the API's requests or answers.
// The draft, as files or as the digest of a set that was in force; and which decisions.
type ReplayRequest struct {
	// A lexicon may be among them; else that in force is used.
	Files []ReplayRequestFiles `json:"files,omitempty"`
	// Of a policy set, SHA-256, lower-case hex.
	Digest *string `json:"digest,omitempty"`
	// Length of the range that ends now; default without `from`: 7d.
	Since *string `json:"since,omitempty"`
	// RFC 3339 date and time.
	From *string `json:"from,omitempty"`
	// RFC 3339 date and time.
	To *string `json:"to,omitempty"`
	// Absent: live.
	// One of: live, test, dev.
	Environment *string `json:"environment,omitempty"`
	// 1 to 256 characters, no control characters, not "." or "..", not beginning with "custos:".
	AgentID *string `json:"agentId,omitempty"`
}

// RequestedIntent is part of the API's requests or answers.
type RequestedIntent struct {
	// Of an enforcement.
	Intent string `json:"intent"`
}

// RequestedAction is part of the API's requests or answers.
type RequestedAction struct {
	// Of a submitted intent.
	Action string `json:"action"`
	// Of a submitted intent.
	Resource string `json:"resource"`
}

// RequestedToolTool is part of the API's requests or answers.
// The tool that is called.
type RequestedToolTool struct {
	// The source of the tool.
	Server string `json:"server"`
	// Its name.
	Name string `json:"name"`
}

// RequestedTool is part of the API's requests or answers.
type RequestedTool struct {
	// The tool that is called.
	Tool RequestedToolTool `json:"tool"`
}

// Requested is part of the API's requests or answers.
// The caller's own words, unchanged: the intent of an enforcement, action and resource of a submitted intent, or the tool that is called. Absent in decisions of versions without this member.
type Requested struct {
	Intent *RequestedIntent `variant:"intent"`
	Action *RequestedAction `variant:"action"`
	Tool   *RequestedTool   `variant:"tool"`
}

// MarshalJSON writes the variant that is set.
func (v Requested) MarshalJSON() ([]byte, error) {
	return marshalVariant(v)
}

// UnmarshalJSON sets the variant whose member is present.
func (v *Requested) UnmarshalJSON(text []byte) error {
	return unmarshalAnswer(text, v)
}

// ResourceAttributesIgnored is part of the API's requests or answers.
type ResourceAttributesIgnored struct {
	// The attribute.
	Name string `json:"name"`
	// How it contradicts its declaration.
	Message string `json:"message"`
}

// Resource is part of the API's requests or answers.
type Resource struct {
	// The canonical name.
	Name  string  `json:"name"`
	Class *string `json:"class"`
	Owner *string `json:"owner"`
	// The other attributes, facts `resource.attributes.<name>`.
	Attributes map[string]any `json:"attributes"`
	// Attributes that contradict the declarations of the policy set in force: rules count them as missing. Absent: none.
	AttributesIgnored []ResourceAttributesIgnored `json:"attributesIgnored,omitempty"`
	// RFC 3339, UTC, milliseconds.
	CreatedAt string `json:"createdAt"`
	// RFC 3339, UTC, milliseconds.
	UpdatedAt string `json:"updatedAt"`
}

// ResourceList is part of the API's requests or answers.
type ResourceList struct {
	// One page of them.
	Items      []Resource `json:"items"`
	NextCursor *string    `json:"nextCursor"`
}

// ResourcePut is part of the API's requests or answers.
// All that the entry says: what is left out is not kept.
type ResourcePut struct {
	// what kind of resource it is; the fact resource.attributes.class
	Class *string `json:"class,omitempty"`
	// who owns it; the fact resource.attributes.owner
	Owner *string `json:"owner,omitempty"`
	// further attributes by name, each declared in attributes.json; facts resource.attributes.<name>
	Attributes map[string]any `json:"attributes,omitempty"`
}

// RiskFactors is part of the API's requests or answers.
type RiskFactors struct {
	// Its name.
	Factor string `json:"factor"`
	// Its part of the score.
	Score int64 `json:"score"`
	// What it found, as a sentence.
	Message string `json:"message"`
}

// RiskCertain is part of the API's requests or answers.
// The risk without factors that count only because facts are missing; present when there are such factors. Where it differs, rules of stage enforce treat the risk as missing.
type RiskCertain struct {
	// low below 400, medium below 700, else high.
	// One of: low, medium, high.
	Level string `json:"level"`
	// 0 to 1000.
	Score int64 `json:"score"`
}

// RiskInstallationCertain is part of the API's requests or answers.
// As the member certain of the whole risk.
type RiskInstallationCertain struct {
	// low below 400, medium below 700, else high.
	// One of: low, medium, high.
	Level string `json:"level"`
	// 0 to 1000.
	Score int64 `json:"score"`
}

// RiskInstallation is part of the API's requests or answers.
// The risk by the installation's policies alone; present when the organisation's own policies changed it. The verdict is the stricter one of both risks.
type RiskInstallation struct {
	// low below 400, medium below 700, else high.
	// One of: low, medium, high.
	Level string `json:"level"`
	// 0 to 1000.
	Score int64 `json:"score"`
	// As the member certain of the whole risk.
	Certain *RiskInstallationCertain `json:"certain,omitempty"`
}

// Risk is part of the API's requests or answers.
// Computed by the policies of stage intake.
type Risk struct {
	// low below 400, medium below 700, else high.
	// One of: low, medium, high.
	Level string `json:"level"`
	// 0 to 1000.
	Score int64 `json:"score"`
	// What the score consists of.
	Factors []RiskFactors `json:"factors"`
	// The risk without factors that count only because facts are missing; present when there are such factors. Where it differs, rules of stage enforce treat the risk as missing.
	Certain *RiskCertain `json:"certain,omitempty"`
	// The risk by the installation's policies alone; present when the organisation's own policies changed it. The verdict is the stricter one of both risks.
	Installation *RiskInstallation `json:"installation,omitempty"`
}

// RollBackPoliciesRequest is part of the API's requests or answers.
type RollBackPoliciesRequest struct {
	// Of the set: SHA-256, lower-case hex.
	Digest string `json:"digest"`
	// Why; stored in every log permanently.
	Reason string `json:"reason"`
	// The set that must be in force; else 409.
	ExpectedDigest *string `json:"expectedDigest,omitempty"`
	// The line of `custos policy sign`; required with CUSTOS_POLICY_SIGNERS.
	Signature *string `json:"signature,omitempty"`
	// Only check and compare.
	DryRun *bool `json:"dryRun,omitempty"`
}

// SeenTool is part of the API's requests or answers.
type SeenTool struct {
	// The name of the tool.
	Name string `json:"name"`
	// Not understood by a catalogue, or not as pinned.
	// One of: unknown, changed.
	State string `json:"state"`
	// Such calls.
	Calls int64 `json:"calls"`
	// That of the last one.
	DecisionID string `json:"decisionId"`
}

// ShadowStatusDraft is part of the API's requests or answers.
// What is evaluated.
type ShadowStatusDraft struct {
	// Of a policy set, SHA-256, lower-case hex.
	Digest string `json:"digest"`
}

// ShadowStatus is part of the API's requests or answers.
type ShadowStatus struct {
	// Whether a worker is evaluating a draft for comparison with the active set.
	Running bool               `json:"running"`
	Draft   *ShadowStatusDraft `json:"draft"`
	Share   *float64           `json:"share"`
	// Why the folder cannot be evaluated; empty when it can.
	Findings []Finding `json:"findings"`
	// The changes by each draft, latest evaluation first.
	Drafts []ShadowedDraft `json:"drafts"`
}

// ShadowedDraft is part of the API's requests or answers.
// What shadow mode has shown.
type ShadowedDraft struct {
	// Of a policy set, SHA-256, lower-case hex.
	Digest string `json:"digest"`
	// Its number of policies.
	Policies int64 `json:"policies"`
	// Share of live decisions that was evaluated.
	Share float64 `json:"share"`
	// RFC 3339, UTC, milliseconds.
	Since string `json:"since"`
	// RFC 3339, UTC, milliseconds.
	Until string `json:"until"`
	// Records passed over because the worker was too far behind.
	Skipped   int64                 `json:"skipped"`
	Decisions ReplayReportDecisions `json:"decisions"`
	Changed   ReplayReportChanged   `json:"changed"`
	// The same verdict and obligations for other reasons.
	OtherReasons int64 `json:"otherReasons"`
	// The changes of verdicts.
	Transitions  []ReplayReportTransitions `json:"transitions"`
	Rules        ReplayReportRules         `json:"rules"`
	Agents       ReplayReportAgents        `json:"agents"`
	Resources    ReplayReportResources     `json:"resources"`
	Environments ReplayReportEnvironments  `json:"environments"`
	// For each transition up to 20, each agent, resource and reasons once, and five with the same reasons.
	Examples []ReplayReportExamples `json:"examples"`
}

// StoredPolicySet is part of the API's requests or answers.
type StoredPolicySet struct {
	// SHA-256, in hex, of the canonical JSON of the set.
	Digest string `json:"digest"`
	// RFC 3339, UTC, milliseconds.
	CreatedAt string `json:"createdAt"`
	// The attributes of agents and resources: see /schemas/attributes.json.
	Attributes map[string]any `json:"attributes,omitempty"`
	// The action names of AuthZEN requests: see /schemas/authzen.json.
	Authzen map[string]any `json:"authzen,omitempty"`
	// The version of the rules of evaluation.
	Engine int64 `json:"engine"`
	// SHA-256, in hex, of the canonical JSON of the set.
	InstallationDigest *string `json:"installationDigest,omitempty"`
	// See /schemas/lexicon.json.
	Lexicon map[string]any `json:"lexicon"`
	// Own policies of an organisation: {placeholders, policies, slug}. The digest is then that of {engine, installation, organisation}.
	Organisation map[string]any `json:"organisation,omitempty"`
	// Messages have placeholders.
	Placeholders *bool            `json:"placeholders,omitempty"`
	Policies     []map[string]any `json:"policies"`
	Resources    []map[string]any `json:"resources,omitempty"`
	// Named conditions and constants: see /schemas/terms.json.
	Terms map[string]any   `json:"terms,omitempty"`
	Tools []map[string]any `json:"tools,omitempty"`
	// Number of parts that are for other organisations alone, which only the operator sees.
	Withheld *int64 `json:"withheld,omitempty"`
}

// SubmittedIntent is part of the API's requests or answers.
type SubmittedIntent struct {
	// Names it.
	IntentID string `json:"intentId"`
	// The agent.
	AgentID string `json:"agentId"`
	// Of a tool call: what its catalogue said when it was accepted.
	Action string `json:"action"`
	// As it was submitted; of a tool call as `action`.
	Resource string `json:"resource"`
	// queued, evaluating, decided; waiting_approval until a human decides, then evaluating again; failed has a recorded DENY with reason EVALUATION_FAILED. KEY_INVALID: the key that submitted it was revoked or had expired.
	// One of: queued, evaluating, waiting_approval, decided, failed.
	Status     string  `json:"status"`
	ApprovalID *string `json:"approvalId"`
	// RFC 3339, UTC, milliseconds.
	SubmittedAt string `json:"submittedAt"`
	// RFC 3339, UTC, milliseconds.
	UpdatedAt string            `json:"updatedAt"`
	Decision  *DecisionOnRecord `json:"decision"`
}

// SubmittedIntentList is part of the API's requests or answers.
type SubmittedIntentList struct {
	// One page of them.
	Items      []SubmittedIntent `json:"items"`
	NextCursor *string           `json:"nextCursor"`
}

// ToolAnswer is part of the API's requests or answers.
// The tool call that was asked about.
type ToolAnswer struct {
	// The source of the tool.
	Server string `json:"server"`
	// The name of the tool.
	Name string `json:"name"`
	// `sha256:` and SHA-256, lower-case hex, of the canonical JSON (RFC 8785) of the arguments.
	ArgumentsDigest string `json:"arguments_digest"`
	// Whether a catalogue says what the call does. Otherwise its action is `unknown`.
	Known bool `json:"known"`
	// Whether the catalogue pins another definition of the tool. Then the action is `unknown`, too.
	Changed bool `json:"changed"`
}

// ToolCallAnnotations is part of the API's requests or answers.
// The hints of the server itself. They decide only where its catalogue has trustAnnotations.
type ToolCallAnnotations struct {
	// For people.
	Title *string `json:"title,omitempty"`
	// It changes nothing.
	ReadOnlyHint *bool `json:"readOnlyHint,omitempty"`
	// It may destroy something.
	DestructiveHint *bool `json:"destructiveHint,omitempty"`
	// A repeat changes nothing more.
	IdempotentHint *bool `json:"idempotentHint,omitempty"`
	// It reaches systems outside.
	OpenWorldHint *bool `json:"openWorldHint,omitempty"`
	// More holds the members that have no field.
	More map[string]any `json:"-"`
}

// MarshalJSON writes the fields and the members of More.
func (v ToolCallAnnotations) MarshalJSON() ([]byte, error) {
	type fields ToolCallAnnotations
	return marshalOpen(fields(v), v.More)
}

// UnmarshalJSON keeps members without a field in More.
func (v *ToolCallAnnotations) UnmarshalJSON(text []byte) error {
	return unmarshalAnswer(text, v)
}

// ToolCall is part of the API's requests or answers.
// A tool call, in place of an intent.
type ToolCall struct {
	// The name that the operator gave the source of the tool: that of its catalogue.
	Server string `json:"server"`
	// The name of the tool.
	Name string `json:"name"`
	// As the tool gets them: at most 262144 bytes as JSON without white space, and 32 levels. Stored with the facts of the decision and erased with them; its record has only their digest.
	Arguments map[string]any `json:"arguments"`
	// SHA-256 of the canonical JSON (RFC 8785) of {name, description, inputSchema, annotations} of the tool as the guard saw it, absent members left out. A pinned tool that comes without it counts as changed.
	DefinitionDigest *string `json:"definition_digest,omitempty"`
	// The hints of the server itself. They decide only where its catalogue has trustAnnotations.
	Annotations *ToolCallAnnotations `json:"annotations,omitempty"`
}

// ToolCatalogue is part of the API's requests or answers.
type ToolCatalogue struct {
	// The name of the source of the tools, as calls name it.
	Server      string  `json:"server"`
	Description *string `json:"description"`
	// Whether the annotations of the server decide about its tools that are not listed here.
	TrustAnnotations bool `json:"trustAnnotations"`
	// By name.
	Tools []CataloguedTool `json:"tools"`
	// Tools that agents of the organisation and environment called in the last day, the last one first.
	Seen []SeenTool `json:"seen"`
}

// ToolCatalogueList is part of the API's requests or answers.
type ToolCatalogueList struct {
	// SHA-256, in hex, of the canonical JSON of the set.
	Digest string `json:"digest"`
	// One page of them.
	Items      []ToolCatalogue `json:"items"`
	NextCursor *string         `json:"nextCursor"`
}

// TrustEvidence is part of the API's requests or answers.
// What the score is computed from.
type TrustEvidence struct {
	// The amount that counts on that day: capped and decayed, in full signals.
	Positive float64 `json:"positive"`
	// The amount that counts on that day: decayed, in full failures.
	Negative     float64 `json:"negative"`
	LastSignalAt *string `json:"lastSignalAt"`
}

// TrustAsOf is part of the API's requests or answers.
// The moment of the score.
type TrustAsOf struct {
	// How many signals were folded: the first n of this agent.
	Signals int64 `json:"signals"`
	// UTC day, YYYY-MM-DD.
	Day string `json:"day"`
}

// Trust is part of the API's requests or answers.
type Trust struct {
	// The agent.
	AgentID string `json:"agentId"`
	// In decisions an unregistered agent has at most the score without evidence (250).
	Registered bool `json:"registered"`
	// 0 to 1000.
	Score int64 `json:"score"`
	// The level of the score.
	Level int64 `json:"level"`
	// The name of the level.
	// One of: Sandbox, Observed, Provisional, Monitored, Standard, Trusted, Certified, Autonomous.
	Tier string `json:"tier"`
	// 1 without any evidence.
	Uncertainty float64 `json:"uncertainty"`
	// What the score is computed from.
	Evidence TrustEvidence `json:"evidence"`
	// The moment of the score.
	AsOf TrustAsOf `json:"asOf"`
}

// TrustChangeCause is part of the API's requests or answers.
// The signals that led to the score, counted by type.
type TrustChangeCause struct {
	// Signals of the agent are numbered without gaps.
	FirstSignal int64 `json:"firstSignal"`
	// The number of the last one.
	LastSignal int64 `json:"lastSignal"`
	// Successes.
	Success int64 `json:"success"`
	// Failures.
	Failure int64 `json:"failure"`
	// Violations.
	Violation int64 `json:"violation"`
	// The `custos.trust` record that holds these signals.
	ProofID string `json:"proofId"`
}

// TrustChange is part of the API's requests or answers.
type TrustChange struct {
	// RFC 3339, UTC, milliseconds.
	At string `json:"at"`
	// 0 to 1000.
	Score int64 `json:"score"`
	// The level of the score.
	Level int64 `json:"level"`
	// The name of the level.
	// One of: Sandbox, Observed, Provisional, Monitored, Standard, Trusted, Certified, Autonomous.
	Tier string `json:"tier"`
	// The signals that led to the score, counted by type.
	Cause TrustChangeCause `json:"cause"`
}

// TrustHistory is part of the API's requests or answers.
type TrustHistory struct {
	// One page of them.
	Items      []TrustChange `json:"items"`
	NextCursor *string       `json:"nextCursor"`
}

// TrustSignal is part of the API's requests or answers.
type TrustSignal struct {
	// Identifies the signal permanently: a repeat counts once, and a different signal with the same id is refused (E2010). Generated when absent.
	SignalID *string `json:"signalId,omitempty"`
	// 1 to 256 characters, no control characters, not "." or "..", not beginning with "custos:".
	AgentID string `json:"agentId"`
	// What was observed. A violation weighs as much as ten failures.
	// One of: success, failure, violation.
	Type string `json:"type"`
	// Whole thousandths: 0.001 to 1. Absent: 1.
	Weight *float64 `json:"weight,omitempty"`
	// RFC 3339. At most 5 minutes ahead and 30 days back. Absent: now.
	OccurredAt *string `json:"occurredAt,omitempty"`
	// The observer; no control characters.
	Source *string `json:"source,omitempty"`
	// An object of your own, at most 16 kB of JSON; kept with the signal.
	Evidence map[string]any `json:"evidence,omitempty"`
}

// TrustSignalBatch is part of the API's requests or answers.
type TrustSignalBatch struct {
	// All are accepted or none.
	Signals []TrustSignal `json:"signals"`
}

// TrustSignalsAccepted is part of the API's requests or answers.
type TrustSignalsAccepted struct {
	// In the order of the request.
	SignalIDs []string `json:"signalIds"`
}

// TrustSignalsRequest is part of the API's requests or answers.
// One signal, or `signals` with up to a thousand. The member `signals` tells them apart.
type TrustSignalsRequest struct {
	TrustSignal      *TrustSignal      `variant:"agentId"`
	TrustSignalBatch *TrustSignalBatch `variant:"signals"`
}

// MarshalJSON writes the variant that is set.
func (v TrustSignalsRequest) MarshalJSON() ([]byte, error) {
	return marshalVariant(v)
}

// UnmarshalJSON sets the variant whose member is present.
func (v *TrustSignalsRequest) UnmarshalJSON(text []byte) error {
	return unmarshalAnswer(text, v)
}

// TrustSummary is part of the API's requests or answers.
// The trust in the agent now.
type TrustSummary struct {
	// 0 to 1000.
	Score int64 `json:"score"`
	// The level of the score.
	Level int64 `json:"level"`
	// The name of the level.
	// One of: Sandbox, Observed, Provisional, Monitored, Standard, Trusted, Certified, Autonomous.
	Tier string `json:"tier"`
	// 1 without any evidence.
	Uncertainty float64 `json:"uncertainty"`
}

// ValidatePoliciesRequestFiles is part of the API's requests or answers.
type ValidatePoliciesRequestFiles struct {
	// The kind of file, and what findings name: `tools/...` a tool catalogue, `resources/...` a resource, attributes.json, terms.json, authzen.json, lexicon.json or `lexicon/...`; else a policy.
	Path string `json:"path"`
	// The text of the file.
	Text string `json:"text"`
}

// ValidatePoliciesRequest is part of the API's requests or answers.
type ValidatePoliciesRequest struct {
	// A lexicon may be among them; else that in force is used.
	Files []ValidatePoliciesRequestFiles `json:"files"`
}

// ValidatePoliciesResponse is part of the API's requests or answers.
type ValidatePoliciesResponse struct {
	// Whether the files may come into force.
	Valid  bool    `json:"valid"`
	Digest *string `json:"digest"`
	// Problems and warnings, by file and position.
	Findings []Finding `json:"findings"`
}

// Verification is part of the API's requests or answers.
type Verification struct {
	// Whether every check passed.
	Valid    bool    `json:"valid"`
	Failure  *string `json:"failure"`
	Sentence *string `json:"sentence"`
	Origin   *string `json:"origin"`
	Size     *int64  `json:"size"`
	Root     *string `json:"root"`
	Index    *int64  `json:"index"`
	ProofID  *string `json:"proofId"`
}

// Webhook is part of the API's requests or answers.
type Webhook struct {
	// Names the webhook.
	WebhookID string `json:"webhookId"`
	// Where messages are sent with POST. Private, local and reserved addresses are refused, and http:// in a live environment, unless CUSTOS_WEBHOOK_ALLOW_PRIVATE permits them.
	URL         string  `json:"url"`
	Description *string `json:"description"`
	// The types of events that are sent.
	// One of: decision.made, approval.opened, approval.decided, intent.decided, trust.level_changed, proof.anchored, policy.activated, policy.refused, key.created, key.revoked, log.halted, audit.failed.
	Events []string       `json:"events"`
	Filter *WebhookFilter `json:"filter"`
	// Whether messages are sent.
	Enabled        bool    `json:"enabled"`
	DisabledReason *string `json:"disabledReason"`
	DisabledAt     *string `json:"disabledAt"`
	FailingSince   *string `json:"failingSince"`
	// hmac: `v1` signatures; ed25519: `v1a`.
	// One of: hmac, ed25519.
	Signature         string  `json:"signature"`
	PublicKey         *string `json:"publicKey"`
	PreviousKeysUntil *string `json:"previousKeysUntil"`
	// RFC 3339, UTC, milliseconds.
	CreatedAt string `json:"createdAt"`
	// The key that created it.
	CreatedBy string `json:"createdBy"`
}

// WebhookCreate is part of the API's requests or answers.
type WebhookCreate struct {
	// Where messages are sent with POST. Private, local and reserved addresses are refused, and http:// in a live environment, unless CUSTOS_WEBHOOK_ALLOW_PRIVATE permits them.
	URL string `json:"url"`
	// The types of events that are sent.
	// One of: decision.made, approval.opened, approval.decided, intent.decided, trust.level_changed, proof.anchored, policy.activated, policy.refused, key.created, key.revoked, log.halted, audit.failed.
	Events []string       `json:"events"`
	Filter *WebhookFilter `json:"filter,omitempty"`
	// For people.
	Description *string `json:"description,omitempty"`
	// A secret of the caller: `whsec_` and 24 to 64 bytes, or `whsk_` and an Ed25519 private key, in base64. Absent: one is generated.
	Secret *string `json:"secret,omitempty"`
	// Kind of the generated key; a given `secret` has its own. Default: hmac.
	// One of: hmac, ed25519.
	Signature *string `json:"signature,omitempty"`
}

// WebhookDelivery is part of the API's requests or answers.
type WebhookDelivery struct {
	// The header `webhook-id` of the message. The same after a retry and a replay.
	DeliveryID string `json:"deliveryId"`
	// The type of the event.
	// One of: decision.made, approval.opened, approval.decided, intent.decided, trust.level_changed, proof.anchored, policy.activated, policy.refused, key.created, key.revoked, log.halted, audit.failed.
	Type string `json:"type"`
	// What the event is about; messages about one subject are sent in order.
	Subject string `json:"subject"`
	// pending: not delivered yet; delivered: answered with a status of 200 to 299; failed: no more attempts are made.
	// One of: pending, delivered, failed.
	State string `json:"state"`
	// How often it was tried.
	Attempts int64 `json:"attempts"`
	// RFC 3339, UTC, milliseconds.
	CreatedAt      string  `json:"createdAt"`
	NextAttemptAt  *string `json:"nextAttemptAt"`
	LastAttemptAt  *string `json:"lastAttemptAt"`
	DurationMs     *int64  `json:"durationMs"`
	ResponseStatus *int64  `json:"responseStatus"`
	Error          *string `json:"error"`
	// The body of the message: type, timestamp and data.
	Payload map[string]any `json:"payload"`
}

// WebhookDeliveryList is part of the API's requests or answers.
type WebhookDeliveryList struct {
	// One page of them.
	Items      []WebhookDelivery `json:"items"`
	NextCursor *string           `json:"nextCursor"`
}

// WebhookFilter is part of the API's requests or answers.
// Which decisions are sent as `decision.made`; other events are not filtered. Absent members: all.
type WebhookFilter struct {
	// Only decisions with one of these verdicts.
	// One of: ALLOW, DENY, ESCALATE, DEGRADE.
	Verdicts []string `json:"verdicts,omitempty"`
	// Only decisions about these agents.
	AgentIDs []string `json:"agentIds,omitempty"`
}

// WebhookList is part of the API's requests or answers.
type WebhookList struct {
	// One page of them.
	Items      []Webhook `json:"items"`
	NextCursor *string   `json:"nextCursor"`
}

// WebhookRotate is part of the API's requests or answers.
type WebhookRotate struct {
	// How long messages are signed with the old key too. Default: 24h; 0m ends the old key at once.
	Overlap *string `json:"overlap,omitempty"`
	// A secret of the caller: `whsec_` and 24 to 64 bytes, or `whsk_` and an Ed25519 private key, in base64. Absent: one is generated.
	Secret *string `json:"secret,omitempty"`
	// Kind of the generated key; a given `secret` has its own. Default: hmac.
	// One of: hmac, ed25519.
	Signature *string `json:"signature,omitempty"`
}

// WebhookUpdate is part of the API's requests or answers.
type WebhookUpdate struct {
	// Where messages are sent with POST. Private, local and reserved addresses are refused, and http:// in a live environment, unless CUSTOS_WEBHOOK_ALLOW_PRIVATE permits them.
	URL *string `json:"url,omitempty"`
	// The types of events that are sent.
	// One of: decision.made, approval.opened, approval.decided, intent.decided, trust.level_changed, proof.anchored, policy.activated, policy.refused, key.created, key.revoked, log.halted, audit.failed.
	Events      []string                 `json:"events,omitempty"`
	Filter      *Nullable[WebhookFilter] `json:"filter,omitempty"`
	Description *Nullable[string]        `json:"description,omitempty"`
	// false: nothing is sent. true: messages that wait are sent, then the events of the time while it was disabled, at most those of the last three days.
	Enabled *bool `json:"enabled,omitempty"`
}

// WebhookWithSecret is part of the API's requests or answers.
type WebhookWithSecret struct {
	// Names the webhook.
	WebhookID string `json:"webhookId"`
	// Where messages are sent with POST. Private, local and reserved addresses are refused, and http:// in a live environment, unless CUSTOS_WEBHOOK_ALLOW_PRIVATE permits them.
	URL         string  `json:"url"`
	Description *string `json:"description"`
	// The types of events that are sent.
	// One of: decision.made, approval.opened, approval.decided, intent.decided, trust.level_changed, proof.anchored, policy.activated, policy.refused, key.created, key.revoked, log.halted, audit.failed.
	Events []string       `json:"events"`
	Filter *WebhookFilter `json:"filter"`
	// Whether messages are sent.
	Enabled        bool    `json:"enabled"`
	DisabledReason *string `json:"disabledReason"`
	DisabledAt     *string `json:"disabledAt"`
	FailingSince   *string `json:"failingSince"`
	// hmac: `v1` signatures; ed25519: `v1a`.
	// One of: hmac, ed25519.
	Signature         string  `json:"signature"`
	PublicKey         *string `json:"publicKey"`
	PreviousKeysUntil *string `json:"previousKeysUntil"`
	// RFC 3339, UTC, milliseconds.
	CreatedAt string `json:"createdAt"`
	// The key that created it.
	CreatedBy string `json:"createdBy"`
	// The secret of an hmac webhook; it is never shown again. A repeat under the same Idempotency-Key lacks it.
	Secret *string `json:"secret,omitempty"`
}

// WithdrawPoliciesRequest is part of the API's requests or answers.
type WithdrawPoliciesRequest struct {
	// Why; stored in every log permanently.
	Reason string `json:"reason"`
	// The set that must be in force; else 409.
	ExpectedDigest *string `json:"expectedDigest,omitempty"`
}

// IntentsQuery holds the query parameters of GET /v1/intents. Empty ones are not sent.
type IntentsQuery struct {
	// 1 to 256 characters, no control characters, not "." or "..", not beginning with "custos:".
	AgentID string `query:"agentId"`
	// queued, evaluating, decided; waiting_approval until a human decides, then evaluating again; failed has a recorded DENY with reason EVALUATION_FAILED. KEY_INVALID: the key that submitted it was revoked or had expired.
	// One of: queued, evaluating, waiting_approval, decided, failed.
	Status string `query:"status"`
	// The nextCursor of the page before. Opaque; stays valid while rows are added.
	Cursor string `query:"cursor"`
	// Most items on the page.
	Limit int64 `query:"limit"`
}

// DecisionsQuery holds the query parameters of GET /v1/decisions. Empty ones are not sent.
type DecisionsQuery struct {
	// 1 to 256 characters, no control characters, not "." or "..", not beginning with "custos:".
	AgentID string `query:"agentId"`
	// Only decisions with this verdict.
	// One of: ALLOW, DENY, ESCALATE, DEGRADE.
	Verdict string `query:"verdict"`
	// Only decisions with this reason code, of those that are not ALLOW.
	Reason string `query:"reason"`
	// X-Request-Id of the request that asked.
	RequestID string `query:"requestId"`
	// Only calls of tools of this server, by the name of its catalogue.
	ToolServer string `query:"toolServer"`
	// Only calls of this tool. Needs `toolServer`, because servers may have tools of the same name.
	ToolName string `query:"toolName"`
	// RFC 3339 date and time.
	From string `query:"from"`
	// RFC 3339 date and time.
	To string `query:"to"`
	// The nextCursor of the page before. Opaque; stays valid while rows are added.
	Cursor string `query:"cursor"`
	// Most items on the page.
	Limit int64 `query:"limit"`
}

// ApprovalsQuery holds the query parameters of GET /v1/approvals. Empty ones are not sent.
type ApprovalsQuery struct {
	// pending; approved: may be used once; rejected, or withdrawn; used; expired: not decided or not used in time.
	// One of: pending, approved, rejected, expired, used.
	Status string `query:"status"`
	// 1 to 256 characters, no control characters, not "." or "..", not beginning with "custos:".
	AgentID string `query:"agentId"`
	// The nextCursor of the page before. Opaque; stays valid while rows are added.
	Cursor string `query:"cursor"`
	// Most items on the page.
	Limit int64 `query:"limit"`
}

// ProofsQuery holds the query parameters of GET /v1/proofs. Empty ones are not sent.
type ProofsQuery struct {
	// Only records about this entity.
	EntityID string `query:"entityId"`
	// Only records of this event.
	Event string `query:"event"`
	// RFC 3339 date and time.
	From string `query:"from"`
	// RFC 3339 date and time.
	To string `query:"to"`
	// The nextCursor of the page before. Opaque; stays valid while rows are added.
	Cursor string `query:"cursor"`
	// Most items on the page.
	Limit int64 `query:"limit"`
}

// ProofsChainQuery holds the query parameters of GET /v1/proofs/chain/{entityId}. Empty ones are not sent.
type ProofsChainQuery struct {
	// The nextCursor of the page before. Opaque; stays valid while rows are added.
	Cursor string `query:"cursor"`
	// Most items on the page.
	Limit int64 `query:"limit"`
}

// LogCheckpointsQuery holds the query parameters of GET /v1/log/checkpoints. Empty ones are not sent.
type LogCheckpointsQuery struct {
	// The nextCursor of the page before. Opaque; stays valid while rows are added.
	Cursor string `query:"cursor"`
	// Most items on the page.
	Limit int64 `query:"limit"`
}

// LogConsistencyQuery holds the query parameters of GET /v1/log/consistency. Empty ones are not sent.
type LogConsistencyQuery struct {
	// The smaller number of leaves.
	From int64 `query:"from,required"`
	// The larger one.
	To int64 `query:"to,required"`
}

// LogLeavesQuery holds the query parameters of GET /v1/log/leaves. Empty ones are not sent.
type LogLeavesQuery struct {
	// The smaller number of leaves.
	From int64 `query:"from,required"`
	// The larger one.
	To int64 `query:"to,required"`
}

// AgentsQuery holds the query parameters of GET /v1/agents. Empty ones are not sent.
type AgentsQuery struct {
	// ACTIVE and PAUSED change into each other, both into SUSPENDED and back, and each into TERMINATED, which is final. Agents that are not ACTIVE are denied.
	// One of: ACTIVE, PAUSED, SUSPENDED, TERMINATED.
	Status string `query:"status"`
	// The nextCursor of the page before. Opaque; stays valid while rows are added.
	Cursor string `query:"cursor"`
	// Most items on the page.
	Limit int64 `query:"limit"`
}

// ResourcesQuery holds the query parameters of GET /v1/resources. Empty ones are not sent.
type ResourcesQuery struct {
	// The nextCursor of the page before. Opaque; stays valid while rows are added.
	Cursor string `query:"cursor"`
	// Most items on the page.
	Limit int64 `query:"limit"`
}

// TrustQuery holds the query parameters of GET /v1/trust/{agentId}. Empty ones are not sent.
type TrustQuery struct {
	// RFC 3339 date and time.
	At string `query:"at"`
}

// TrustHistoryQuery holds the query parameters of GET /v1/trust/{agentId}/history. Empty ones are not sent.
type TrustHistoryQuery struct {
	// RFC 3339 date and time.
	From string `query:"from"`
	// RFC 3339 date and time.
	To string `query:"to"`
	// The nextCursor of the page before. Opaque; stays valid while rows are added.
	Cursor string `query:"cursor"`
	// Most items on the page.
	Limit int64 `query:"limit"`
}

// AuthKeysQuery holds the query parameters of GET /v1/auth/keys. Empty ones are not sent.
type AuthKeysQuery struct {
	// The nextCursor of the page before. Opaque; stays valid while rows are added.
	Cursor string `query:"cursor"`
	// Most items on the page.
	Limit int64 `query:"limit"`
}

// PoliciesActivationsQuery holds the query parameters of GET /v1/policies/activations. Empty ones are not sent.
type PoliciesActivationsQuery struct {
	// The nextCursor of the page before. Opaque; stays valid while rows are added.
	Cursor string `query:"cursor"`
	// Most items on the page.
	Limit int64 `query:"limit"`
}

// PoliciesDifferenceQuery holds the query parameters of GET /v1/policies/difference. Empty ones are not sent.
type PoliciesDifferenceQuery struct {
	// Of the set: SHA-256, lower-case hex.
	Before string `query:"before,required"`
	// Of the set: SHA-256, lower-case hex.
	After string `query:"after,required"`
}

// PoliciesApprovalsQuery holds the query parameters of GET /v1/policies/approvals. Empty ones are not sent.
type PoliciesApprovalsQuery struct {
	// The nextCursor of the page before. Opaque; stays valid while rows are added.
	Cursor string `query:"cursor"`
	// Most items on the page.
	Limit int64 `query:"limit"`
}

// ToolsQuery holds the query parameters of GET /v1/tools. Empty ones are not sent.
type ToolsQuery struct {
	// The nextCursor of the page before. Opaque; stays valid while rows are added.
	Cursor string `query:"cursor"`
	// Most items on the page.
	Limit int64 `query:"limit"`
}

// WebhooksDeliveriesQuery holds the query parameters of GET /v1/webhooks/{webhookId}/deliveries. Empty ones are not sent.
type WebhooksDeliveriesQuery struct {
	// Only deliveries in this state.
	// One of: pending, delivered, failed.
	State string `query:"state"`
	// The nextCursor of the page before. Opaque; stays valid while rows are added.
	Cursor string `query:"cursor"`
	// Most items on the page.
	Limit int64 `query:"limit"`
}
