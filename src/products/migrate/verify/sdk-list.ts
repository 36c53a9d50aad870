import { type CompiledFlag, compileFlag, type FlagDefinition } from '../../../evaluation/compile.ts';
import type { EvaluationContext } from '../../../evaluation/context.ts';
import { resolve } from '../../../evaluation/evaluate.ts';
import type { SegmentDefinition } from '../../../evaluation/segment.ts';
import { OFF, type Resolution } from '../../../evaluation/variant.ts';
import type { Imported } from '../../../features/import-export/instance/input.ts';
import type { Constraint } from '../../../model/constraint.ts';
import type { Strategy } from '../../../model/strategy.ts';
import type { InstanceClient, Reply } from '../instance-client.ts';
import { integer, isTrue, type Loose, list, object, text } from '../loose-json.ts';
import { readConstraint, readFeatureDetails, readStrategyContent, readVariant } from '../read-parts.ts';

/** The list of flags that SDKs get with one token. Also evaluates these flags. */
export class SdkList {
  readonly flags: ReadonlyMap<string, FlagDefinition>;
  readonly segments: ReadonlyMap<number, SegmentDefinition>;
  /** The ETag that the instance sent; "" if it sent none. */
  readonly etag: string;
  readonly #compiled = new Map<string, CompiledFlag>();

  constructor(
    flags: ReadonlyMap<string, FlagDefinition>,
    segments: ReadonlyMap<number, SegmentDefinition>,
    etag: string,
  ) {
    this.flags = flags;
    this.segments = segments;
    this.etag = etag;
    for (const each of flags.values())
      this.#compiled.set(
        each.name,
        compileFlag(each, (id) => segments.get(id)),
      );
  }

  /** The result of a flag; an unknown flag is off. */
  resolve(name: string, context: EvaluationContext): Resolution {
    const compiled = this.#compiled.get(name);
    return compiled === undefined ? OFF : resolve(compiled, context, (other) => this.#compiled.get(other));
  }

  /** The result of a flag as text: off, on, or on with a variant and its payload. */
  answer(name: string, context: EvaluationContext): string {
    const { on, variant } = this.resolve(name, context);
    if (!on) return 'off';
    return variant.enabled ? `on, ${variant.name} ${JSON.stringify(variant.payload ?? null)}` : 'on';
  }

  /** All constraints of the flags and segments in the list. */
  *constraints(): Generator<Constraint> {
    for (const { strategies } of this.flags.values()) for (const { constraints } of strategies) yield* constraints;
    for (const { constraints } of this.segments.values()) yield* constraints;
  }

  /** The constraints of a strategy and of its segments. Ids of segments are replaced by constraints, because they may differ between instances. */
  conditionsOf({ constraints, segments }: Strategy): readonly unknown[] {
    return [...constraints, ...segments.map((id) => this.segments.get(id)?.constraints ?? `segment ${id} is missing`)];
  }
}

const LIST = '/api/client/features';
/** The specification of the SDKs whose lists this reader understands: segments are beside the flags. */
export const SDK_SPEC = '5.2.0';

/** The request headers of a current SDK. */
function headersOf(token: string): Record<string, string> {
  return { authorization: token, 'unleash-client-spec': SDK_SPEC, 'unleash-appname': 'burgee-migrate' };
}

/** Requests the list for SDKs with this token, with the headers of a current SDK. Undefined if the token is refused. */
export async function readSdkList(client: InstanceClient, token: string): Promise<SdkList | undefined> {
  const reply = await client.ask('GET', LIST, undefined, headersOf(token));
  if (isRefused(reply)) return undefined;
  if (reply.status !== 200) throw client.problem('GET', LIST, reply);
  return sdkListOf(JSON.parse(reply.text), reply.etag);
}

/** Reads the body of the list. */
export function sdkListOf(body: unknown, etag: string): SdkList {
  const sent = object(body);
  const flags = new Map(list(sent.features).map((each) => [text(each.name), readFlag(each)]));
  const segments = list(sent.segments).map(({ id, name, constraints }) => ({
    id: integer(id, 0),
    name: text(name),
    constraints: list(constraints).map(readConstraint),
  }));
  return new SdkList(flags, new Map(segments.map((segment) => [segment.id, segment])), etag);
}

function isRefused({ status }: Reply): boolean {
  return status === 401 || status === 403;
}

/**
 * The result of a request with a token. "same list": accepted, and the list has the sent ETag. "no such API": the API does not exist or is
 * disabled.
 */
type TokenTest = 'refused' | 'accepted' | 'same list' | 'no such API';

/** Tests whether a token is accepted. `etag` is the ETag of the expected list: if the list has it, the instance does not send the list. */
export async function tryToken(
  client: InstanceClient,
  { type, secret }: Pick<Imported<'apiTokens'>, 'type' | 'secret'>,
  etag: string,
): Promise<TokenTest> {
  const path = type === 'frontend' ? '/api/frontend' : LIST;
  const headers = { ...headersOf(secret), ...(etag !== '' && { 'if-none-match': etag }) };
  const reply = await client.ask('GET', path, undefined, headers);
  if (isRefused(reply)) return 'refused';
  if (reply.status === 304) return 'same list';
  return reply.status === 200 ? 'accepted' : 'no such API';
}

function readFlag(sent: Loose): FlagDefinition {
  const { name, impressionData, dependencies } = readFeatureDetails(sent, '');
  return {
    name,
    impressionData,
    dependencies,
    enabled: isTrue(sent.enabled),
    strategies: list(sent.strategies).map((strategy, sortOrder) => ({
      ...readStrategyContent(strategy),
      id: String(sortOrder),
      sortOrder,
    })),
    variants: list(sent.variants).map(readVariant),
  };
}
