/** Calls without the shape of a function call, in the APIs' published types, with the output of each. */
export const responsesCalls = [
  {
    name: 'shell',
    args: { commands: ['npm test'], timeout_ms: 1000 },
    call: { type: 'shell_call', action: { commands: ['npm test'], timeout_ms: 1000 } },
    output: {
      type: 'shell_call_output',
      output: [{ stdout: '', stderr: 'no test', outcome: { type: 'exit', exit_code: 1 } }],
    },
    isError: true,
  },
  {
    name: 'local_shell',
    args: { type: 'exec', command: ['ls'], env: {} },
    call: { type: 'local_shell_call', action: { type: 'exec', command: ['ls'], env: {} } },
    output: { type: 'local_shell_call_output', output: 'a.ts' },
    isError: undefined,
  },
  {
    name: 'apply_patch',
    args: { type: 'update_file', path: 'a.ts', diff: '+x' },
    call: { type: 'apply_patch_call', operation: { type: 'update_file', path: 'a.ts', diff: '+x' } },
    output: { type: 'apply_patch_call_output', status: 'failed', output: 'no such file' },
    isError: true,
  },
  {
    name: 'computer',
    args: { type: 'click', button: 'left', x: 1, y: 2 },
    call: {
      type: 'computer_call',
      action: { type: 'click', button: 'left', x: 1, y: 2 },
      pending_safety_checks: [],
    },
    output: {
      type: 'computer_call_output',
      output: { type: 'computer_screenshot', image_url: 'https://files.test/1.png' },
    },
    isError: undefined,
  },
  {
    name: 'computer',
    args: { actions: [{ type: 'wait' }, { type: 'screenshot' }] },
    call: { type: 'computer_call', actions: [{ type: 'wait' }, { type: 'screenshot' }] },
    output: {
      type: 'computer_call_output',
      output: { type: 'computer_screenshot', image_url: 'https://files.test/1.png' },
    },
    isError: undefined,
  },
  {
    name: 'patch',
    args: { input: '*** Begin' },
    call: { type: 'custom_tool_call', name: 'patch', input: '*** Begin' },
    output: { type: 'custom_tool_call_output', output: 'done' },
    isError: undefined,
  },
] as const;
