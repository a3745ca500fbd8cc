// Both spellings of every member of every request: generated from the schemas of all routes.
import { expect } from 'chai';
import type { Request } from 'express';
import { compile } from '../../../ingress/request/schema.ts';
import { otherSpelling, spellingOf } from '../../../ingress/request/spelling.ts';
import { type CompiledRoute, compileRoute, validate } from '../../../ingress/request/validate.ts';
import type { Route } from '../../../ingress/route.ts';
import { businessRoutes } from '../../../ingress/routes/all.ts';
import { ApiError } from '../../../shared/kernel/errors.ts';
import { closed, JsonObject } from '../../../shared/api/common.ts';
import { Type } from 'typebox';

type Schema = Readonly<Record<string, unknown>>;
/** A member with two spellings: the members that lead to it (0: an item of a list), and its documented name. */
interface Member {
  readonly to: readonly (string | 0)[];
  readonly name: string;
}

/** The members of a schema and of its parts whose names have another spelling. */
function membersOf(schema: Schema, to: readonly (string | 0)[] = []): Member[] {
  const {
    properties = {},
    items,
    anyOf = [],
  } = schema as {
    properties?: Record<string, Schema>;
    items?: Schema;
    anyOf?: Schema[];
  };
  return [
    ...Object.entries(properties).flatMap(([name, member]) => [
      ...(otherSpelling(name) === undefined ? [] : [{ to, name }]),
      ...membersOf(member, [...to, name]),
    ]),
    ...(items === undefined ? [] : membersOf(items, [...to, 0])),
    ...anyOf.flatMap((branch) => membersOf(branch, to)),
  ];
}

/** A body that has only these members, at their place. */
const bodyWith = ({ to }: Member, members: object): unknown =>
  to.reduceRight<unknown>((inner, step) => (step === 0 ? [inner] : { [step]: inner }), members);

/** No member with two spellings may have this value. */
const WRONG = [null];

describe('every member of a request is accepted in both spellings:', () => {
  // Only handlers use the dependencies.
  const routes = businessRoutes({} as never);

  /** What validation makes of a request: its value, or the errors. */
  const outcomeOf = (compiled: CompiledRoute, body: unknown, query = ''): unknown => {
    // What `validate` reads of a request.
    const req = { params: {}, url: `/v1/path${query}` } as Request;
    try {
      return validate(compiled, req, structuredClone(body), 1);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return error.errors;
    }
  };
  const conflict = (pointer: string, first: string) => ({
    pointer,
    message: `is the other spelling of ${first}, which is given too`,
  });
  const bodyOf = ({ request }: Route): Schema | undefined =>
    (request?.described ?? request?.body) as Schema | undefined;
  // Path parameters have no names in a request.
  const withoutPath = (route: Route): CompiledRoute => ({ ...compileRoute(route, compile), params: undefined });

  for (const route of routes) {
    const members = membersOf(bodyOf(route) ?? {});
    if (members.length === 0 || route.dialect === 'authzen') continue;
    it(`in the body of ${route.operationId}: ${members.map(({ name }) => name).join(', ')}`, () => {
      const compiled = withoutPath(route);
      for (const member of members) {
        const { to, name } = member;
        const other = otherSpelling(name) ?? '';
        const documented = outcomeOf(compiled, bodyWith(member, { [name]: WRONG }));
        const given = outcomeOf(compiled, bodyWith(member, { [other]: WRONG }));
        expect(given, other).to.deep.equal(documented);
        const at = to.map((step) => `/${step}`).join('');
        // The members of a batch are checked one by one, by the schema of `enforce`.
        if (route.operationId === 'enforceBatch') continue;
        expect(JSON.stringify(documented), name).to.contain(`"pointer":"${at}/${name}`).and.not.contain('not known');
        for (const [first, second] of [
          [name, other],
          [other, name],
        ] as const)
          expect(outcomeOf(compiled, bodyWith(member, { [first]: 'a', [second]: 'a' })), second).to.deep.equal([
            conflict(`${at}/${second}`, first),
          ]);
      }
    });
  }

  for (const route of routes) {
    const names = membersOf((route.request?.query ?? {}) as Schema).map(({ name }) => name);
    if (names.length === 0) continue;
    it(`in the query of ${route.operationId}: ${names.join(', ')}`, () => {
      const compiled = withoutPath(route);
      for (const name of names) {
        const other = otherSpelling(name) ?? '';
        const documented = outcomeOf(compiled, undefined, `?${name}=`);
        expect(JSON.stringify(documented)).to.contain(`"pointer":"?${name}"`).and.not.contain('not known');
        expect(outcomeOf(compiled, undefined, `?${other}=`)).to.deep.equal(documented);
        for (const [first, second] of [
          [name, other],
          [other, name],
        ] as const)
          expect(outcomeOf(compiled, undefined, `?${first}=a&${second}=a`)).to.deep.equal([
            conflict(`?${second}`, first),
          ]);
      }
    });
  }

  it('except where another standard defines them, as AuthZEN does', () => {
    const route = routes.find(({ operationId }) => operationId === 'authzenEvaluations');
    if (route === undefined) throw new Error('no route has the operationId authzenEvaluations');
    // To AuthZEN the other spelling is an unknown member, which it ignores.
    const body = { options: { evaluations_semantic: 'execute_all', evaluationsSemantic: 'unknown' } };
    expect(outcomeOf(withoutPath(route), body)).to.deep.include({ body });
  });

  it('and the members of free-form objects are left as they are', () => {
    const body = closed({ agent_id: Type.String(), context: JsonObject() });
    const route = routes.find(({ operationId }) => operationId === 'enforce');
    if (route === undefined) throw new Error('no route has the operationId enforce');
    const compiled = compileRoute({ ...route, request: { body } }, compile);
    const context = { agent_id: 1, agentId: 2, nested: [{ dryRun: true, dry_run: false }] };
    expect(outcomeOf(compiled, { context, agentId: 'a' })).to.deep.include({ body: { agent_id: 'a', context } });
  });

  it('and a schema with two members that differ only in their spelling is refused', () => {
    expect(() => spellingOf(closed({ agent_id: Type.String(), agentId: Type.String() }))).to.throw('two members');
  });
});
