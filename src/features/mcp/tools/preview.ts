import Type from 'typebox';
import { ToolError } from './api.ts';
import { Changes } from './changes.ts';
import { optionalName, tool } from './tool.ts';

const CONTEXTS_MAX = 50;
const MADE_UP_MAX = 1_000;

interface Previewed {
  readonly contexts: number;
  readonly changes: readonly unknown[];
  readonly flags: readonly {
    readonly name: string;
    readonly project: string;
    readonly reason: string;
    readonly counts: unknown;
    readonly examples: readonly {
      readonly kind: string;
      readonly context: unknown;
      readonly before: Result;
      readonly after: Result;
    }[];
    readonly warnings: readonly unknown[];
  }[];
}

type Result = { readonly isEnabled: boolean; readonly variant?: { readonly name: string } | null } | null;

export const preview = tool({
  name: 'preview',
  title: 'Preview changes',
  kind: 'read',
  description:
    'Tries changes, or an open change request, without saving anything. Returns for how many contexts each affected flag would go on or off or get another ' +
    'variant, with examples, and warnings about rules that can never be true. The token needs the permissions of the changes.',
  hint: 'Use fewer contexts or examples.',
  input: {
    project: optionalName('Id of the project of the changes'),
    environment: optionalName('Environment of the changes'),
    changes: Type.Optional(Changes),
    changeRequest: Type.Optional(
      Type.Integer({
        minimum: 1,
        description: 'Id of an open change request, instead of project, environment and changes',
      }),
    ),
    contexts: Type.Optional(
      Type.Array(Type.Record(Type.String({ maxLength: 100 }), Type.Unknown()), {
        minItems: 1,
        maxItems: CONTEXTS_MAX,
        description:
          'Contexts as SDKs send them, such as {"userId": "7", "properties": {"plan": "free"}}. Default: made-up user ids',
      }),
    ),
    madeUpUsers: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MADE_UP_MAX,
        description: 'Number of made-up user ids; repeated for each context',
      }),
    ),
    examples: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 5,
        description: 'Number of examples of each kind for each flag. Default: 2',
      }),
    ),
  },
  async run({ project, environment, changes, changeRequest, contexts, madeUpUsers, examples = 2 }, { api }) {
    if (changeRequest === undefined && (project === undefined || environment === undefined || changes === undefined))
      throw new ToolError('State project, environment and changes, or the id of a change request.');
    const selection = {
      ...(contexts && { given: contexts }),
      ...(madeUpUsers !== undefined && { madeUp: { count: madeUpUsers } }),
    };
    const body = {
      project,
      environment,
      changes,
      changeRequest,
      examples,
      ...(Object.keys(selection).length > 0 && { contexts: selection }),
    };
    const found = await api.post<Previewed>('/api/admin/preview', { body });
    return {
      contexts: found.contexts,
      changes: found.changes,
      flags: found.flags.map(({ name, project, reason, counts, examples: shown, warnings }) => ({
        name,
        project,
        reason,
        counts,
        warnings,
        examples: shown
          .filter(({ kind }) => kind !== 'unchanged')
          .map(({ kind, context, before, after }) => ({
            kind,
            context,
            before: resultOf(before),
            after: resultOf(after),
          })),
      })),
      ...(found.flags.length === 0 && { note: 'No flag that the token may see is affected.' }),
    };
  },
});

function resultOf(result: Result): unknown {
  if (result === null) return null;
  const variant = result.variant?.name;
  return { enabled: result.isEnabled, ...(variant !== undefined && variant !== 'disabled' && { variant }) };
}
