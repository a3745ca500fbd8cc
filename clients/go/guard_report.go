package custos

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
)

// The refusals are sentences that can be shown to a model. Texts of policies and approvers are quoted, because they come from outside.

func refusal(options GuardOptions, why string) string {
	return fmt.Sprintf("Custos did not permit this call of the tool %q of %q. It was not carried out: %s.",
		options.Name, options.Server, strings.TrimSuffix(printable(why), "."))
}

// printable escapes control and invisible characters.
func printable(text string) string {
	var out strings.Builder
	for _, char := range text {
		if strconv.IsPrint(char) {
			out.WriteRune(char)
		} else {
			fmt.Fprintf(&out, "\\u{%x}", char)
		}
	}
	return out.String()
}

// withoutDecision: nothing runs without a decision; the same call may be permitted later.
func withoutDecision(options GuardOptions, cause error, approvalID string) *RefusedError {
	return &RefusedError{ApprovalID: approvalID, Cause: cause, Message: refusal(options, "there is no decision ("+cause.Error()+")")}
}

// refused: the decision does not permit the call. An empty why is replaced by the decision's reasons.
func refused(options GuardOptions, decision *Decision, why string, cause error) *RefusedError {
	err := &RefusedError{Verdict: decision.Verdict, Reasons: decision.Reasons, DecisionID: decision.DecisionID, Cause: cause}
	needsHuman := why == "" && decision.Approval != nil
	if why == "" {
		texts := make([]string, len(decision.Reasons))
		for i, reason := range decision.Reasons {
			texts[i] = fmt.Sprintf("%s (%s)", strings.TrimSuffix(reason.Message, "."), reason.Code)
		}
		why = strings.Join(texts, "; ")
	}
	if why == "" {
		why = "no reason was given"
	}
	if needsHuman {
		why = "a human has to approve it, because " + why
	}
	err.Message = refusal(options, why) + " Decision " + printable(decision.DecisionID) + "."
	if decision.Approval != nil {
		err.ApprovalID = decision.Approval.ApprovalID
		err.Message += " The approval is " + printable(err.ApprovalID) + "."
	}
	return err
}

// withheld: the function has run, and the caller does not get what came of it. Without a cause, which may contain that.
func (g *guard) withheld(decision *Decision, why string) *RefusedError {
	return &RefusedError{
		Verdict: decision.Verdict, Reasons: decision.Reasons, DecisionID: decision.DecisionID, HasRun: true,
		Message: fmt.Sprintf("The tool %q has run, but %s. Decision %s.", g.options.Name, why, printable(decision.DecisionID)),
	}
}

func (g *guard) reportCalled(q *question, decision *Decision, outcome, resultDigest string) {
	payload := q.payload(decision)
	payload["outcome"] = outcome
	if resultDigest != "" {
		payload["resultDigest"] = resultDigest
	}
	// The id makes a repetition after a lost answer count once.
	id := "tool.called:" + decision.DecisionID
	g.report(func(ctx context.Context) error {
		body := ProofCreate{Event: "tool.called", EntityID: g.options.AgentID, ProofID: &id, Payload: payload}
		_, err := g.client.Proofs.Create(ctx, body)
		return err
	})
	if !g.options.ReportSignals {
		return
	}
	g.report(func(ctx context.Context) error {
		evidence := map[string]any{"decisionId": decision.DecisionID, "server": g.options.Server, "tool": g.options.Name}
		signal := TrustSignal{AgentID: g.options.AgentID, Type: outcome, Source: Ptr("client"), SignalID: &id, Evidence: evidence}
		_, err := g.client.Trust.Signal(ctx, signal)
		return err
	})
}

func (g *guard) reportNotCalled(q *question, decision *Decision) {
	id := "tool.not_called:" + decision.DecisionID
	g.report(func(ctx context.Context) error {
		body := ProofCreate{Event: "tool.not_called", EntityID: g.options.AgentID, ProofID: &id, Payload: q.payload(decision)}
		_, err := g.client.Proofs.Create(ctx, body)
		return err
	})
	if decision.Budgets == nil {
		return
	}
	// Gives back what the decision counted against budgets.
	g.report(func(ctx context.Context) error {
		_, err := g.client.Decisions.ReportOutcome(ctx, decision.DecisionID, OutcomeRequest{Outcome: "not_carried_out"})
		return err
	})
}

// payload holds digests only: the log must not contain the arguments themselves.
func (q *question) payload(decision *Decision) map[string]any {
	payload := map[string]any{
		"decisionId":      decision.DecisionID,
		"server":          q.options.Server,
		"tool":            q.options.Name,
		"argumentsDigest": q.argumentsDigest,
	}
	if q.options.DefinitionDigest != "" {
		payload["definitionDigest"] = q.options.DefinitionDigest
	}
	return payload
}

// report sends in the background, with the client's timeout and retries. The caller's context may end before.
func (g *guard) report(send func(context.Context) error) {
	g.client.reports.start()
	go func() {
		defer g.client.reports.finish()
		if err := send(context.Background()); err != nil && g.options.OnReportError != nil {
			g.options.OnReportError(err)
		}
	}()
}

// pending counts reports that are not sent yet. Unlike a sync.WaitGroup it can be waited for while new ones start.
type pending struct {
	mutex sync.Mutex
	count int
	empty chan struct{}
}

func (p *pending) start() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.count == 0 {
		p.empty = make(chan struct{})
	}
	p.count++
}

func (p *pending) finish() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.count--
	if p.count == 0 {
		close(p.empty)
	}
}

// done returns a channel that is closed once no report is left.
func (p *pending) done() <-chan struct{} {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.count > 0 {
		return p.empty
	}
	closed := make(chan struct{})
	close(closed)
	return closed
}
