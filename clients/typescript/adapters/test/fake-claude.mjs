// Plays the part of Claude Code towards the Claude Agent SDK: it makes one tool call, asks the hooks, and tells the SDK what came of it.
import { createInterface } from 'node:readline';

const { name, input } = JSON.parse(process.env.FAKE_CALL ?? '{}');
const waiting = new Map();
let requests = 0;
const send = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);
const ask = (request) =>
  new Promise((resolve) => {
    const request_id = `cli_${(requests += 1)}`;
    waiting.set(request_id, resolve);
    send({ type: 'control_request', request_id, request });
  });

async function callTool(hooks) {
  const tool = { session_id: 's', transcript_path: '', cwd: '.', tool_name: name, tool_use_id: 'toolu_1' };
  const run = async (event, more) => {
    const answers = [];
    for (const { hookCallbackIds } of hooks[event] ?? [])
      for (const callback_id of hookCallbackIds)
        answers.push(
          await ask({
            subtype: 'hook_callback',
            callback_id,
            input: { ...tool, hook_event_name: event, ...more },
            tool_use_id: tool.tool_use_id,
          }),
        );
    return answers;
  };
  const [before] = await run('PreToolUse', { tool_input: input });
  const decision = before?.hookSpecificOutput;
  if (before === undefined || decision?.permissionDecision === 'deny')
    return decision?.permissionDecisionReason ?? 'no decision';
  const judged = decision.updatedInput ?? input;
  const done = await ask({ subtype: 'can_use_tool', tool_name: name, input: judged, tool_use_id: tool.tool_use_id });
  const failed = done.updatedInput === undefined;
  const outcome = failed ? { error: 'the tool failed' } : { tool_response: done.updatedInput.result };
  await run(failed ? 'PostToolUseFailure' : 'PostToolUse', { tool_input: judged, ...outcome });
  return failed ? 'the tool failed' : done.updatedInput.result;
}

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line);
  if (message.type === 'control_response') {
    const { request_id, response } = message.response;
    waiting.get(request_id)?.(response ?? {});
    continue;
  }
  if (message.type !== 'control_request') continue;
  const { request_id, request } = message;
  const response = {
    subtype: 'success',
    request_id,
    response: {
      commands: [],
      models: [],
      output_style: 'default',
      hook_on_failure_supported: true,
      hooks_applied: true,
    },
  };
  send({ type: 'control_response', response });
  if (request.subtype !== 'initialize') continue;
  void callTool(request.hooks ?? {}).then((result) => {
    send({
      type: 'result',
      subtype: 'success',
      is_error: false,
      result,
      session_id: 's',
      uuid: '00000000-0000-4000-8000-000000000000',
      duration_ms: 1,
      duration_api_ms: 1,
      num_turns: 1,
      total_cost_usd: 0,
      usage: {},
      modelUsage: {},
      permission_denials: [],
    });
    process.stdout.end(() => process.exit(0));
  });
}
