// Reading AuthZEN questions: who is meant, and what.
import { expect } from 'chai';
import fc from 'fast-check';
import { agentIdOf, readQuestion, subjectOf } from '../../shared/core/authzen/question.ts';
import { isPattern } from '../../shared/core/intent/resource.ts';

const action = { name: 'read' };
const resource = { type: 'record', id: 'record-1' };
const text = fc.oneof(fc.string({ minLength: 1, unit: 'grapheme' }), fc.stringMatching(/^[ab:/*.\\%]{1,6}$/));

describe('an AuthZEN question', () => {
  it('names one agent for each subject: no two subjects share one', () => {
    fc.assert(
      fc.property(text, text, (type, id) => {
        const agentId = agentIdOf({ type, id });
        if (agentId.ok) expect(subjectOf(agentId.value)).to.deep.equal({ type, id });
      }),
    );
  });

  it('is never about a pattern, and stays below the type of its resource', () => {
    fc.assert(
      fc.property(text, (id) => {
        const read = readQuestion({ subject: { type: 'user', id: 'a' }, action, resource: { type: 'record', id } });
        if (!read.ok) return;
        expect(isPattern(read.value.resource)).to.equal(false);
        expect(`${read.value.resource}/`.startsWith('record/')).to.equal(true);
      }),
    );
  });

  it('leaves the approval that it names out of the facts', () => {
    const subject = { type: 'user', id: 'alice' };
    const read = readQuestion({ subject, action, resource, context: { ip: '192.0.2.7', approval: { id: 'apr_1' } } });
    expect(read.ok && read.value.approvalId).to.equal('apr_1');
    expect(read.ok && read.value.context.env).to.deep.equal({ ip: '192.0.2.7' });
  });
});
