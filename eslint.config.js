import { defineConfig, globalIgnores } from 'eslint/config';
import regexp from 'eslint-plugin-regexp';
import rxjsX from 'eslint-plugin-rxjs-x';
import tseslint from 'typescript-eslint';

const everywhere = [
  {
    selector: 'ImportDeclaration[source.value=/^zod/] > ImportSpecifier[imported.name="z"]',
    message: "Write `import * as z from 'zod'`: bundles contain all of what `z` names, in every language.",
  },
  {
    selector: ':matches(PropertyDefinition, MethodDefinition[kind!="constructor"])[accessibility="private"]',
    message: 'Write `#name` instead of `private name`.',
  },
  {
    selector:
      'CallExpression:matches([callee.property.name=/^(debug|info|warn|error)$/], [callee.name="log"], [callee.property.name=/^#?log$/]) > Literal[value=/^[a-z]+ /]',
    message: 'A log message is a sentence: begin it with a capital.',
  },
];

// What Oxlint (`.oxlintrc.json`) has no rules for.
export default defineConfig(
  globalIgnores([
    '**/dist/',
    '**/node_modules/',
    '.cache/',
    'coverage/',
    'test-results/',
    'playwright-report/',
  ]),
  {
    // Only what a rule below applies to: parsing all tests as well takes a third longer.
    files: ['packages/*/src/**/*.{ts,tsx}', 'packages/worker/test/stream/*.ts'],
    languageOptions: { parser: tseslint.parser },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
  },
  {
    // JavaScript's own `#private` hides a member at run time too. Constructors have no such form.
    files: ['packages/*/src/**/*.{ts,tsx}'],
    rules: {
      'no-restricted-syntax': ['error', ...everywhere],
    },
  },
  {
    // They write what controls the terminal themselves.
    files: ['packages/cli/src/**'],
    ignores: ['packages/cli/src/runtime/output.ts', 'packages/cli/src/events/progress.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        ...everywhere,
        {
          selector:
            'CallExpression[callee.object.object.name="process"][callee.object.property.name=/^std(out|err)$/][callee.property.name="write"]',
          message:
            'Use `print`, `writeOut` or `writeError`: what is printed may quote data that controls a terminal.',
        },
      ],
    },
  },
  {
    files: ['packages/worker/src/**/*.ts', 'packages/worker/test/stream/*.ts'],
    extends: [rxjsX.configs.recommended],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      'rxjs-x/no-ignored-error': 'error',
      'rxjs-x/no-ignored-subscription': 'error',
      'rxjs-x/no-nested-subscribe': 'error',
      'rxjs-x/no-unsafe-takeuntil': 'error',
    },
  },
  {
    files: ['packages/worker/test/**'],
    rules: {
      'rxjs-x/no-ignored-error': 'off',
      'rxjs-x/no-ignored-subscription': 'off',
    },
  },
  {
    // What others send is matched here: no text may take more than linear time.
    files: ['packages/*/src/**/*.ts'],
    ignores: ['packages/dashboard/**'],
    plugins: { regexp },
    rules: {
      'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
      'regexp/no-super-linear-move': 'error',
    },
  },
);
