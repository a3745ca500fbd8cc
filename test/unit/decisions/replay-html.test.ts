// The HTML report of a replay: hostile texts stay texts in every position, and nothing is loaded or executed.
import { expect } from 'chai';
import { replayHtml } from '../../../shared/domain/drafts/replay-html.ts';
import type { ReplayReport } from '../../../shared/domain/drafts/reports.ts';
import { createDifference } from '../../../shared/core/policy/difference.ts';
import type { Evaluation } from '../../../shared/core/policy/types.ts';

const HOSTILE = `"><img src=x onerror='alert(1)'>&lt;\u202e</style></code>`;

function report(text: string): ReplayReport {
  const said = (verdict: Evaluation['verdict']): Evaluation => ({
    verdict,
    reasons: [{ policy: text, rule: text, effect: verdict, code: text, message: text }],
    obligations: [{ type: 'custom', name: text }],
  });
  const difference = createDifference();
  const before = said('ALLOW');
  const about = { organisation: text, environment: text, agentId: text, intent: text, resource: text };
  difference.add({ decisionId: text, evaluatedAt: text, ...about, before, after: said('DENY'), differs: ['verdict'] });
  return {
    draft: { digest: text, policies: 1 },
    range: { from: text, to: text, organisation: text, environment: text, agentId: text, limit: 1 },
    ...difference.report(),
    sets: [{ digest: text, decisions: 1, lexicon: 'other' }],
    notes: [text],
  };
}

/** Tags and their attribute names. */
function markupOf(page: string): string[] {
  return [...page.matchAll(/<\/?[a-z!][^>]*>/gi)].map(([tag]) => tag.replaceAll(/="[^"]*"/g, ''));
}

describe('the page of a replay', () => {
  it('has the same markup for any texts', () => {
    expect(markupOf(replayHtml(report(HOSTILE)))).to.deep.equal(markupOf(replayHtml(report('plain'))));
  });
  it('loads and executes nothing', () => {
    const page = replayHtml(report('plain'));
    expect(page)
      .to.match(/^<!doctype html>/)
      .and.to.contain("default-src 'none'");
    expect(page).not.to.match(/<(script|link|img|iframe|object|form)|@import|url\(|\bon\w+=|:\/\//i);
  });
  it('shows invisible characters as code points', () => {
    expect(replayHtml(report(HOSTILE)))
      .to.contain('\\u{202e}')
      .and.not.to.contain('\u202e');
  });
});
