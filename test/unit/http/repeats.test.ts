// Repeats under an Idempotency-Key, for every route that supports it: secrets and decisions are checked before they are returned.
import { expect } from 'chai';
import { businessRoutes } from '../../../ingress/routes/all.ts';
import { generateKey } from '../../../shared/domain/keys/format.ts';

/** Members of a schema, at any depth, whose text may be an API key; each with whether it is required. */
function secretsIn(schema: unknown, at = ''): { readonly at: string; readonly isRequired: boolean }[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { properties = {}, required = [] } = schema as {
    properties?: Readonly<Record<string, { pattern?: string }>>;
    required?: readonly string[];
  };
  const { key } = generateKey('live');
  const own = Object.entries(properties)
    .filter(([, { pattern }]) => pattern !== undefined && new RegExp(pattern, 'u').test(key) && pattern.includes('cst'))
    .map(([name]) => ({ at: `${at}/${name}`, isRequired: required.includes(name) }));
  return [
    ...own,
    ...Object.entries(schema).flatMap(([name, part]) => (name === 'pattern' ? [] : secretsIn(part, `${at}/${name}`))),
  ];
}

describe('a repeat under an Idempotency-Key', () => {
  // Describing routes does not use the dependencies of their handlers.
  const routes = businessRoutes({} as never).filter(({ idempotent }) => idempotent === true);
  const nameOf = ({ method, path }: { method: string; path: string }): string => `${method} ${path}`;

  it('is possible at every POST that writes', () => {
    const posts = businessRoutes({} as never).filter(({ method }) => method === 'POST');
    expect(
      posts.filter(({ idempotent, changesNothing }) => (idempotent === true) === (changesNothing === true)).map(nameOf),
    ).to.deep.equal([]);
  });

  it('can omit a secret: no answer requires one', () => {
    const found = routes.flatMap((route) =>
      Object.values(route.responses).flatMap(({ schema }) =>
        secretsIn(schema).map((secret) => ({ route: nameOf(route), ...secret })),
      ),
    );
    expect(found.map(({ route }) => route)).to.deep.equal(['POST /v1/auth/keys', 'POST /v1/auth/keys/{keyId}/rotate']);
    expect(found.filter(({ isRequired }) => isRequired)).to.deep.equal([]);
  });

  it('is checked by every route that answers with a decision, and can be refused with E5004', () => {
    const deciding = routes.filter(({ responses }) => JSON.stringify(responses).includes('"decision_id"'));
    // An approval shows the ESCALATE that opened it, which permits nothing.
    const permitting = deciding.filter(({ path }) => !path.startsWith('/v1/approvals/'));
    expect(permitting.map(nameOf)).to.deep.equal(['POST /v1/enforce', 'POST /v1/enforce/batch']);
    for (const { again } of permitting) expect(again).to.be.a('function');
    expect(permitting[0]?.errors).to.include('E5004');
  });
});
