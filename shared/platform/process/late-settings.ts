// Settings that a process gets from its supervisor after it has started: it loads its modules while the database starts.

/** Variable by which the supervisor tells a process that a message with more variables follows. */
export const SETTINGS_FOLLOW = 'SETTINGS_FOLLOW';

/**
 * Variable by which the supervisor tells a process at the first start the policy folder: the database is created meanwhile, which leaves
 * time to compile the lexicon before the settings follow.
 */
export const FIRST_POLICIES = 'FIRST_POLICIES';

/** Message of the supervisor, its first one. */
export interface SettingsMessage {
  readonly type: 'settings';
  readonly env: NodeJS.ProcessEnv;
}

function isSettingsMessage(message: unknown): message is SettingsMessage {
  return (message as Partial<SettingsMessage> | undefined)?.type === 'settings';
}

/**
 * The environment with the variables that the supervisor sends, if it does. Ends the process when the supervisor ends first.
 * @param host `process`
 */
export function wholeEnvironment(
  env: NodeJS.ProcessEnv,
  host: Pick<NodeJS.Process, 'on' | 'off' | 'exit'>,
): Promise<NodeJS.ProcessEnv> {
  if (env[SETTINGS_FOLLOW] === undefined) return Promise.resolve(env);
  return new Promise((resolve) => {
    const ended = (): never => host.exit(1);
    const settle = (message: unknown): void => {
      if (!isSettingsMessage(message)) return;
      host.off('message', settle);
      host.off('disconnect', ended);
      resolve({ ...env, ...message.env });
    };
    host.on('message', settle);
    host.on('disconnect', ended);
  });
}
