// Word lists that identify statements with an implied request.
import { wordSet } from '../text/word-set.ts';

/** Modal verbs that oblige, and those that only permit. */
export const OBLIGES = wordSet("should must shall shouldn't mustn't");
export const PERMITS = wordSet('can may could might');
/** Words before `to be` that oblige: `needs to be deleted`. */
export const OBLIGES_TO = wordSet('needs need has have ought is are supposed required meant');
export const NEEDS = wordSet('need needs require requires');
export const NEEDED = wordSet('needed required requested necessary wanted due');
/** Verbs before a statement that is to become true: `make sure that the mail is sent`. */
export const ENSURES = wordSet('ensure make guarantee see check verify confirm');
/** Verbs of wishing: `I want it removed`, `have the server restarted`. */
export const WISHES = wordSet('want need have query like');
/** Light verbs, which take their meaning from the noun of an action. */
export const LIGHT = wordSet(
  'perform do make initiate conduct request process need want query execute run start trigger schedule proceed',
);
/** Light verbs before which any noun of an action counts, including one that is also a verb: `initiate a transfer`. */
export const LIGHTEST = wordSet('proceed perform do initiate conduct request need want query');
/** Verbs whose statement is itself the request: `I request the deletion of my data`. */
export const PERFORMATIVE = wordSet('request demand authorize authorise order require propose approve');
/** `I think the key should be rotated` */
export const THINKS = wordSet('think believe guess suppose feel hope');
export const NEGATORS = wordSet(
  "no not never none nothing nobody neither nor shouldn't mustn't without don't doesn't didn't won't wouldn't",
);
/** Words that open a clause which is not a request: `if it should be deleted`. */
export const CONDITIONS = wordSet(
  'if when unless whether while until till after before once because since as although that whose',
);
export const PRONOUNS = wordSet('i we you he she it they there who that which');
export const SKIPPED = wordSet('not also all both then now please already always never just be been automatically');
export const THINGS = wordSet('it them everything everyone him');
/** Pronouns that may need something: `she needs access`. */
export const THIRD = wordSet('he she they');
export const RIGHTS = wordSet('access permission permissions rights');
export const AHEAD = new Set(['go ahead', 'go forward', 'move ahead']);
