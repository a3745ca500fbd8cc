// Components whose code is loaded when they are first needed, so that the first page loads little.
import { useEffect, useState, type VNode } from './html.ts';

export type Component<P> = (props: P) => VNode;

export interface LazyComponent<P> {
  /** Undefined until it is loaded. */
  get(): Component<P> | undefined;
  /** Starts loading, once. After an error the next call tries again. */
  load(): Promise<void>;
}

export function lazy<P>(read: () => Promise<Component<P>>): LazyComponent<P> {
  let component: Component<P> | undefined;
  let loading: Promise<void> | undefined;
  return {
    get: () => component,
    load() {
      loading ??= read().then(
        (loaded) => void (component = loaded),
        (error: unknown) => {
          loading = undefined;
          throw error;
        },
      );
      return loading;
    },
  };
}

export interface LazyState<P> {
  readonly component: Component<P> | undefined;
  readonly hasFailed: boolean;
}

/** The service may be restarting. */
const RETRY_MS = 3_000;

/** Loads a component, until that succeeds, and renders again once it is there. */
export function useLazy<P>(of: LazyComponent<P> | undefined): LazyState<P> {
  const [failed, setFailed] = useState<LazyComponent<P> | undefined>(undefined);
  const [, setLoaded] = useState<LazyComponent<P> | undefined>(undefined);
  useEffect(() => {
    if (of === undefined || of.get() !== undefined) return undefined;
    let timer: number | undefined;
    let isLeft = false;
    const load = (): Promise<void> =>
      of.load().then(
        () => setLoaded(of),
        () => {
          if (isLeft) return;
          setFailed(of);
          timer = window.setTimeout(() => void load(), RETRY_MS);
        },
      );
    void load();
    return () => {
      isLeft = true;
      clearTimeout(timer);
    };
  }, [of]);
  return { component: of?.get(), hasFailed: of !== undefined && failed === of };
}
