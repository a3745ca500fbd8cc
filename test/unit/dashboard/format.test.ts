// The dashboard's formats of numbers, times and names.
import { expect } from 'chai';
import { byService, syncClock } from '../../../ingress/dashboard/client/clock.ts';
import {
  amount,
  breaksOf,
  moment,
  named,
  short,
  tickTimes,
  timesAs,
  timeZone,
} from '../../../ingress/dashboard/client/format.ts';

/** Local time, so that the test passes in any time zone. */
const at = (day: number, hour: number, minute = 0, second = 0): number =>
  new Date(2026, 10, day, hour, minute, second).getTime() / 1_000;

describe('the labels of a time axis', () => {
  const now = new Date(2026, 10, 21, 17, 30);
  it('have seconds if all would have the same minute', () => {
    const ticks = tickTimes([at(21, 17, 7, 10), at(21, 17, 7, 20), at(21, 17, 7, 30)], 10, now);
    expect(ticks.map((tick) => tick.split(':').at(-1))).to.deep.equal(['10', '20', '30']);
    expect(new Set(ticks).size).to.equal(3);
  });
  it('have hours and minutes for today', () => {
    const ticks = tickTimes([at(21, 16), at(21, 17)], 3_600, now);
    expect(ticks.map((tick) => tick.split(':'))).to.deep.equal([
      ['16', '00'],
      ['17', '00'],
    ]);
  });
  it('have the date at the start of a day, and the time after it', () => {
    const [first, second, third] = tickTimes([at(20, 18), at(20, 21), at(21, 0), at(21, 3)], 10_800, now);
    expect(first).to.contain('20').and.not.to.contain(':');
    expect(second).to.contain('21:00');
    expect(third).to.contain('21').and.not.to.contain(':');
  });
  it('have only dates if they are days apart', () => {
    expect(tickTimes([at(19, 0), at(20, 0), at(21, 0)], 86_400, now).join()).not.to.contain(':');
  });
});

describe('amounts', () => {
  for (const [value, text] of [
    [0, '0'],
    [3, '3'],
    [0.25, '0.25'],
    [7.138, '7.14'],
    [21, '21'],
    [1_234.6, '1,235'],
  ] as const)
    it(`${value} is shown as ${text}`, () => expect(amount(value)).to.equal(text));
});

describe('moments', () => {
  it('have a date unless they are today, and name the time zone', () => {
    const now = new Date(2026, 10, 21, 17, 30);
    expect(moment(new Date(2026, 10, 21, 9, 5, 7), now)).to.equal('09:05:07');
    expect(moment(new Date(2026, 10, 20, 9, 5, 7), now)).to.match(/20.*09:05:07$/);
    expect(timeZone(now)).to.match(/^(UTC|GMT.*|[A-Z]{2,5})$/);
  });
});

describe('the lines of a name', () => {
  for (const [name, parts] of [
    ['infra.unknown.cluster_23', ['infra.', 'unknown.', 'cluster_23']],
    ['data/production/*', ['data/', 'production/', '*']],
    ['team-a:reader', ['team-', 'a:', 'reader']],
    ['a...b', ['a...', 'b']],
    ['prf_01m7', ['prf_01m7']],
    ['', ['']],
  ] as const)
    it(`${JSON.stringify(name)} may end a line in ${parts.length - 1} places, and stays the same text`, () => {
      expect(breaksOf(name)).to.deep.equal(parts);
      expect(breaksOf(name).join('')).to.equal(name);
    });
});

describe('a name that a caller chose', () => {
  for (const [name, shown] of [
    ['agent 7', 'agent 7'],
    ['  lead', '⟨0020⟩⟨0020⟩lead'],
    ['end ', 'end⟨0020⟩'],
    [' ', '⟨0020⟩'],
    ['a  b', 'a ⟨0020⟩b'],
    ['agent\u00a07', 'agent⟨00A0⟩7'],
    ['\u202eevil', '⟨202E⟩evil'],
    ['a\u3164', 'a⟨3164⟩'],
    ['x\u{e0100}', 'x⟨E0100⟩'],
    ['עברית', 'עברית'],
    ['a\u0301', 'a\u0301'],
  ] as const)
    it(`${JSON.stringify(name)} hides nothing: ${shown}`, () => expect(named(name)).to.equal(shown));

  it('is shortened by whole characters, also by those of two code units', () => {
    expect(short('😀'.repeat(40), 9)).to.equal(`${'😀'.repeat(4)}…${'😀'.repeat(4)}`);
    expect(short('😀'.repeat(9), 9)).to.equal('😀'.repeat(9));
    expect(short('abcdefghij', 5)).to.equal('ab…ij');
    expect(short('abcde', 5)).to.equal('abcde');
  });
});

describe("the service's clock", () => {
  const date = 'Sat, 21 Nov 2026 22:00:00 GMT';
  const trueMs = Date.parse(date);
  afterEach(() => syncClock(date, trueMs));
  for (const [what, localMs, seen] of [
    ["equals the machine's when they agree", trueMs + 900, trueMs + 900],
    ['is used when the machine is two hours ahead', trueMs + 7_200_000, trueMs],
    ['is used when the machine is two hours behind', trueMs - 7_200_000, trueMs],
  ] as const)
    it(what, () => {
      syncClock(date, localMs);
      expect(byService(localMs)).to.equal(seen);
    });
  it("is kept when an answer has no time, and dropped when the machine's clock is corrected", () => {
    syncClock(date, trueMs + 60_000);
    syncClock(null, trueMs + 60_000);
    syncClock('soon', trueMs + 60_000);
    expect(byService(trueMs + 60_000)).to.equal(trueMs);
    syncClock(date, trueMs);
    expect(byService(trueMs)).to.equal(trueMs);
  });
});

describe('times in the language of a reader', () => {
  for (const locale of ['en-US', 'de-DE', 'ar-EG', 'fa-IR', 'th-TH', 'ja-JP-u-ca-japanese'])
    it(`have the digits and the year of the rest of the page: ${locale}`, () => {
      const format = timesAs({ year: 'numeric', month: 'short', day: 'numeric', timeZone: 'UTC' }, locale);
      expect(format.format(Date.UTC(2026, 10, 21)))
        .to.match(/2026/)
        .and.to.match(/21/);
    });
});
