// The reader of expositions refuses what Prometheus would refuse: otherwise the tests that use it could not fail.
import { expect } from 'chai';
import { readExposition } from '../support/exposition.ts';

const GOOD = '# HELP a A.\n# TYPE a gauge\na{x="1 \\"q\\" \\\\ \\n"} 1\na 2.5e-3\n';

describe('the reader of Prometheus text', () => {
  it('reads samples with their labels, with escapes decoded', () => {
    expect(readExposition(GOOD).get('a')?.samples).to.deep.equal([
      { name: 'a', labels: { x: '1 "q" \\ \n' }, value: 1 },
      { name: 'a', labels: {}, value: 0.0025 },
    ]);
  });

  const bad: Readonly<Record<string, string>> = {
    'no end of line': '# TYPE a gauge\na 1',
    'a sample without a type': 'a 1\n',
    'two places of one metric': '# TYPE a gauge\na 1\n# TYPE b gauge\nb 1\n# TYPE a gauge\na{x="2"} 1\n',
    'the same sample twice': '# TYPE a gauge\na{x="1"} 1\na{x="1"} 2\n',
    'a label twice': '# TYPE a gauge\na{x="1",x="2"} 1\n',
    'a quote that is not escaped': '# TYPE a gauge\na{x="1"2"} 1\n',
    'a name with a dash': '# TYPE a-b gauge\na-b 1\n',
    'no number': '# TYPE a gauge\na one\n',
    'a sample of another metric': '# TYPE a gauge\nb 1\n',
    'buckets that fall': '# TYPE h histogram\nh_bucket{le="1"} 2\nh_bucket{le="+Inf"} 1\nh_sum 1\nh_count 1\n',
    'no bucket for all': '# TYPE h histogram\nh_bucket{le="1"} 1\nh_sum 1\nh_count 1\n',
    'a count that is not that of all': '# TYPE h histogram\nh_bucket{le="+Inf"} 2\nh_sum 1\nh_count 1\n',
  };
  for (const [name, text] of Object.entries(bad))
    it(`refuses ${name}`, () => {
      expect(() => readExposition(text)).to.throw();
    });
});
