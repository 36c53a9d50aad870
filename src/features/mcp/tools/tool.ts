import Type, { type Static, type TObject, type TProperties } from 'typebox';
import type { Api } from './api.ts';

/** What a tool does: it only reads, it creates something new, or it changes or deletes what exists. */
type ToolKind = 'read' | 'create' | 'change';

/** What a call of a tool may use. */
export interface ToolContext {
  readonly api: Api;
  /** Whether `propose_change` may change an environment that needs no review, without a change request. */
  readonly writesDirectly: boolean;
}

/** One tool, for both ways to use it: over HTTP and over standard input. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  /** For a model: when to use the tool, and what it returns. It never contains stored text. */
  readonly description: string;
  readonly kind: ToolKind;
  readonly input: TObject;
  /** How to request less, for results that are too long. */
  readonly hint: string;
  /** @throws ToolError */
  run(input: never, context: ToolContext): Promise<Readonly<Record<string, unknown>>>;
}

/** States a tool. The input has the type of the schema. */
export function tool<P extends TProperties>(
  spec: Omit<Tool, 'input' | 'run'> & {
    readonly input: P;
    run(input: Static<TObject<P>>, context: ToolContext): Promise<Readonly<Record<string, unknown>>>;
  },
): Tool {
  return { ...spec, input: Type.Object(spec.input, { additionalProperties: false }) } as Tool;
}

const NAME_CHARS_MAX = 250;

export const nameOf = (description: string) => Type.String({ minLength: 1, maxLength: NAME_CHARS_MAX, description });

export const optionalName = (description: string) => Type.Optional(nameOf(description));

export const FlagProject = optionalName('Id of the project of the flag. Default: the project is found by the name');

export const FlagName = nameOf('Name of the flag');

export const Reason = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 500,
    description: 'Why you make the change, for the audit log. Some environments require it',
  }),
);
