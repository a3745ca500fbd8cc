// The effect of a shell command itself, by the lexicon, by what it is given, and by where it sends something.
import { type Fragment, fragmentOf, gravity, isSecretName, isSystemPath, NOT_UNDERSTOOD, sentOutside } from './code.ts';
import { commandName } from './commands.ts';
import type { Before, CommandLine } from './shell-code.ts';
import { asksWithData, copied, staysInside } from './shell-files.ts';
import { textsOf } from './shell-words.ts';

const CREDENTIALS = {
  action: 'execute',
  effect: 'write',
  traits: ['privileged'],
  object: 'credential',
  domain: 'secrets',
} as const;

const isEnvironment = (before: Before | undefined): boolean =>
  /^(?:env|printenv|set|export|declare)$/.test(textsOf(before?.command.words ?? []).join(' '));

/** What a command does by the lexicon, wherever it sends something. */
export function plainFragment({ known, texts, span, before }: CommandLine): Fragment {
  const { entry, doing, isKnown } = known;
  const args = texts.slice(1);
  const isAll =
    args.some((arg) => arg.includes('*') || arg === '/' || arg === '--all' || arg === '-A') ||
    (doing.effect === 'destructive' && args.some((arg) => /^-[a-z]*r/i.test(arg) || arg === '--recursive'));
  const ofSystem = doing.effect !== 'read' && args.some(isSystemPath);
  const plain = fragmentOf(span, {
    verb: commandName(texts[0] ?? ''),
    action: isKnown ? doing.action : 'unknown',
    effect: isKnown || doing.effect === 'destructive' ? doing.effect : 'write',
    traits: [...doing.traits, ...(ofSystem ? (['privileged'] as const) : [])],
    object: entry.object ?? 'resource',
    domain: entry.domain,
    extent: isAll || (entry.object === 'database' && doing.effect === 'destructive') ? 'all' : 'one',
  });
  return isEnvironment(before) && isSecretName(args.join(' ')) ? { ...plain, ...CREDENTIALS } : plain;
}

/** The same with where it sends something: inside the organisation, or outside what another command writes. */
export function ownFragment(plain: Fragment, line: CommandLine): Fragment {
  const { known, before } = line;
  const { action, traits } = plain;
  const inside = action === 'send' && staysInside(line);
  const isFed = before !== undefined && action === 'send' && traits.includes('external') && !inside;
  if (isFed) return sentOutside(plain, '', true);
  if (gravity(plain) < gravity(NOT_UNDERSTOOD) && asksWithData(line))
    return sentOutside({ ...plain, object: 'file', domain: 'files' }, '', true);
  const own = inside ? { ...plain, traits: traits.filter((trait) => trait !== 'external') } : plain;
  return known.entry.sends ? copied(line, own) : own;
}
