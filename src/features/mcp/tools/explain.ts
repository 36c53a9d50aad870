import Type from 'typebox';
import { projectOf } from './find-project.ts';
import { FlagName, FlagProject, nameOf, tool } from './tool.ts';

/** The result of one flag, as the playground explains it. */
interface Explained {
  readonly name: string;
  readonly isEnabled: boolean;
  readonly isEnabledInCurrentEnvironment: boolean;
  readonly hasUnsatisfiedDependency?: boolean;
  readonly variant?: unknown;
  readonly strategies: { readonly result: boolean | 'unknown'; readonly data: readonly ExplainedStrategy[] };
}

interface ExplainedStrategy {
  readonly name: string;
  readonly id: string;
  readonly title?: string;
  readonly disabled?: boolean | null;
  readonly result: { readonly enabled: boolean | 'unknown'; readonly evaluationStatus: string };
  readonly constraints: readonly { readonly result: boolean }[];
  readonly segments: readonly {
    readonly name: string;
    readonly result: boolean;
    readonly constraints: readonly { readonly result: boolean }[];
  }[];
  readonly parameters: unknown;
}

export const explain = tool({
  name: 'explain',
  title: 'Explain why a flag is on or off',
  kind: 'read',
  description:
    'Evaluates one flag for one context in one environment, as SDKs do, and says why it is on or off: each strategy with the constraints and segments ' +
    'that are not met. Nothing is changed.',
  hint: 'Use get_flag for the whole configuration.',
  input: {
    flag: FlagName,
    project: FlagProject,
    environment: nameOf('Name of the environment'),
    context: Type.Optional(
      Type.Object(
        {
          appName: Type.Optional(Type.String({ maxLength: 250 })),
          userId: Type.Optional(Type.String({ maxLength: 250 })),
          sessionId: Type.Optional(Type.String({ maxLength: 250 })),
          remoteAddress: Type.Optional(Type.String({ maxLength: 250 })),
          currentTime: Type.Optional(Type.String({ maxLength: 60, description: 'As in RFC 3339. Default: now' })),
          properties: Type.Optional(
            Type.Record(Type.String({ maxLength: 250 }), Type.String({ maxLength: 2_000 }), {
              description: 'Other fields of the context, by name',
            }),
          ),
        },
        { additionalProperties: false, description: 'The context that an SDK would send. Default: an empty context' },
      ),
    ),
  },
  async run({ flag, project, environment, context = {} }, { api }) {
    const projectId = await projectOf(api, flag, project);
    // Unleash requires the name of an application.
    const sent = { appName: 'mcp', ...context };
    const body = { environment, projects: [projectId], features: [flag], context: sent };
    const { features } = await api.post<{ features: readonly Explained[] }>('/api/admin/playground', { body });
    const found = features.find(({ name }) => name === flag);
    if (!found) {
      return {
        enabled: false,
        reason: 'SDKs do not get this flag: it is archived, or its project does not have the environment.',
      };
    }
    const { isEnabled, isEnabledInCurrentEnvironment, variant, strategies } = found;
    return {
      enabled: isEnabled,
      reason: reasonOf(found),
      ...(variant !== null && variant !== undefined && { variant }),
      switchedOnInEnvironment: isEnabledInCurrentEnvironment,
      strategies: strategies.data.map(presentStrategy),
      context: sent,
    };
  },
});

/** A fixed sentence. Names are only in other fields of the result, so that stored text is never part of a statement of this tool. */
function reasonOf({
  isEnabled,
  isEnabledInCurrentEnvironment,
  hasUnsatisfiedDependency,
  strategies,
}: Explained): string {
  if (!isEnabledInCurrentEnvironment) return 'Off: the flag is switched off in this environment.';
  if (hasUnsatisfiedDependency) return 'Off: a flag on which it depends does not have the required state.';
  if (strategies.result === 'unknown')
    return 'Unknown: only an SDK can evaluate one of the strategies, and no other one is met.';
  if (!isEnabled) return 'Off: the flag is switched on, but no strategy is met.';
  if (strategies.data.length === 0) return 'On: the flag is switched on and has no strategies.';
  return 'On: the flag is switched on, and at least one strategy is met.';
}

function presentStrategy(strategy: ExplainedStrategy): Readonly<Record<string, unknown>> {
  const { name, id, title, disabled, result, constraints, segments, parameters } = strategy;
  const unmet = constraints.filter((constraint) => !constraint.result);
  const unmetSegments = segments.filter((segment) => !segment.result);
  return {
    strategy: name,
    id,
    ...(title && { title }),
    ...(disabled ? { disabled: true } : { isMet: result.enabled }),
    ...(unmet.length > 0 && { unmetConstraints: unmet }),
    ...(unmetSegments.length > 0 && {
      unmetSegments: unmetSegments.map((segment) => ({
        name: segment.name,
        unmetConstraints: segment.constraints.filter((constraint) => !constraint.result),
      })),
    }),
    parameters,
  };
}
