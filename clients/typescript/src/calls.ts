// Builds the functions of the resources: each from a path of the description, with the types of its request and answer.
import type { CallOptions, Http, HttpRequest, OperationName } from './http.ts';
import { List, type PageLike } from './pages.ts';
import type { AnswerOf, BodyOf, Method, PathOf, QueryOf } from './types.ts';

type Listed<P extends PathOf<'get'>> = Extract<AnswerOf<'get', P>, PageLike<unknown>>;
/** The cursor belongs to `List`. */
type Filter<P extends PathOf<'get'>> = Omit<QueryOf<'get', P>, 'cursor'>;

/** A body without required members can be left out. */
type OptionalBody<Body> = object extends Body
  ? [body?: Body, options?: CallOptions]
  : [body: Body, options?: CallOptions];

export function createCalls(http: Http) {
  const call = async <M extends Method, P extends PathOf<M>>(
    method: M,
    path: P,
    request: Omit<HttpRequest, 'operation'>,
    options: CallOptions | undefined,
  ): Promise<AnswerOf<M, P>> => {
    const operation = `${method.toUpperCase()} ${path}` as OperationName;
    // http.ts has checked that the answer has the members that identify it.
    return (await http.send({ ...request, operation }, options)).body as AnswerOf<M, P>;
  };
  const readList = <P extends PathOf<'get'>>(
    path: P,
    values: readonly string[],
    filter: Filter<P> | undefined,
    options: CallOptions | undefined,
  ): List<Listed<P>> =>
    new List(async (cursor) => {
      const page = await call('get', path, { path: values, query: { ...filter, cursor } }, options);
      return page as Listed<P>;
    });

  return {
    call,
    /** GET without parameters. */
    read:
      <P extends PathOf<'get'>>(path: P) =>
      (options?: CallOptions): Promise<AnswerOf<'get', P>> =>
        call('get', path, {}, options),
    /** GET with query parameters. */
    readBy:
      <P extends PathOf<'get'>>(path: P) =>
      (query: QueryOf<'get', P>, options?: CallOptions): Promise<AnswerOf<'get', P>> =>
        call('get', path, { query }, options),
    /** GET of a text. */
    readText:
      <P extends PathOf<'get'>>(path: P) =>
      (options?: CallOptions): Promise<AnswerOf<'get', P>> =>
        call('get', path, { isText: true }, options),
    /** GET of one object by its id. */
    readOne:
      <P extends PathOf<'get'>>(path: P) =>
      (id: string, options?: CallOptions): Promise<AnswerOf<'get', P>> =>
        call('get', path, { path: [id] }, options),
    /** GET of one object by its id, with query parameters. */
    readOneBy:
      <P extends PathOf<'get'>>(path: P) =>
      (id: string, query?: QueryOf<'get', P>, options?: CallOptions): Promise<AnswerOf<'get', P>> =>
        call('get', path, { path: [id], query }, options),
    /** GET of a list. */
    list:
      <P extends PathOf<'get'>>(path: P) =>
      (filter?: Filter<P>, options?: CallOptions): List<Listed<P>> =>
        readList(path, [], filter, options),
    /** GET of a list that belongs to an id. */
    listOf:
      <P extends PathOf<'get'>>(path: P) =>
      (id: string, filter?: Filter<P>, options?: CallOptions): List<Listed<P>> =>
        readList(path, [id], filter, options),
    /** POST. */
    write:
      <P extends PathOf<'post'>>(path: P) =>
      (body: BodyOf<'post', P>, options?: CallOptions): Promise<AnswerOf<'post', P>> =>
        call('post', path, { body }, options),
    /** POST below an id. */
    writeTo:
      <P extends PathOf<'post'>>(path: P) =>
      (id: string, ...[body, options]: OptionalBody<BodyOf<'post', P>>): Promise<AnswerOf<'post', P>> =>
        call('post', path, { path: [id], body: body ?? {} }, options),
    update:
      <P extends PathOf<'patch'>>(path: P) =>
      (id: string, body: BodyOf<'patch', P>, options?: CallOptions): Promise<AnswerOf<'patch', P>> =>
        call('patch', path, { path: [id], body }, options),
    put:
      <P extends PathOf<'put'>>(path: P) =>
      (id: string, body: BodyOf<'put', P>, options?: CallOptions): Promise<AnswerOf<'put', P>> =>
        call('put', path, { path: [id], body }, options),
    /** DELETE with a body. */
    removeWith:
      <P extends PathOf<'delete'>>(path: P) =>
      (id: string, body: BodyOf<'delete', P>, options?: CallOptions): Promise<AnswerOf<'delete', P>> =>
        call('delete', path, { path: [id], body }, options),
    remove:
      <P extends PathOf<'delete'>>(path: P) =>
      (id: string, options?: CallOptions): Promise<AnswerOf<'delete', P>> =>
        call('delete', path, { path: [id] }, options),
  };
}
