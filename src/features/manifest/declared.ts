import { invalid, type Rejection } from '../../base/rejection.ts';
import { payloadText } from '../../evaluation/open-feature-json.ts';
import { type Feature, featureEnvironment, type MANIFEST_TYPES, type ManifestEntry } from '../../model/feature.ts';
import { MODEL_LIMITS } from '../../model/limits.ts';
import { usableStrategies } from '../../model/release-plan.ts';
import type { VariantPayload } from '../../model/variant.ts';
import type { StateReader } from '../../state/collections.ts';
import { environmentNames } from '../flags/present.ts';

type ManifestType = (typeof MANIFEST_TYPES)[number];

/** A flag that nothing says anything about is on or off. */
const OFF: ManifestEntry = { type: 'boolean', defaultValue: 'false' };

/** The type and the default value of the flag: what code has declared, else what the payloads of its variants show, else `boolean`. */
export function entryOf(feature: Feature, reader: StateReader): ManifestEntry {
  return feature.manifest ?? entryOfPayloads(feature, reader) ?? OFF;
}

/**
 * The type and the value of the first payload, in the order of the environments; undefined if no variant has a payload. Numbers are integers only if
 * all of them are.
 */
export function entryOfPayloads(feature: Feature, reader: StateReader): ManifestEntry | undefined {
  let first: ManifestEntry | undefined;
  for (const payload of payloads(feature, reader)) {
    if (first === undefined) first = entryOfPayload(payload);
    else if (payload.type === 'number' && !Number.isInteger(Number(payload.value))) return { ...first, type: 'float' };
    if (first !== undefined && first.type !== 'integer') return first;
  }
  return first;
}

function* payloads(feature: Feature, reader: StateReader): Generator<VariantPayload> {
  for (const name of environmentNames(feature.project, reader)) {
    const settings = featureEnvironment(feature, name);
    const lists = [...usableStrategies(settings).map(({ variants }) => variants), settings.variants];
    for (const variants of lists) for (const { payload } of variants) if (payload) yield payload;
  }
}

/** Undefined: SDKs of OpenFeature cannot get the payload as a value. */
function entryOfPayload(payload: VariantPayload): ManifestEntry | undefined {
  const text = payloadText(payload);
  if (text === null) return undefined;
  const type = typeOf(JSON.parse(text));
  if (type === undefined) return undefined;
  return type === 'boolean' ? OFF : { type, defaultValue: text };
}

function typeOf(value: unknown): ManifestType | undefined {
  if (typeof value === 'boolean' || typeof value === 'string') return typeof value as 'boolean' | 'string';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'float';
  return value === null ? undefined : 'object';
}

/** What a request declares for a flag, or a rejection if the value does not have the type. */
export function declaredEntry(type: ManifestType, value: unknown): ManifestEntry | Rejection {
  const actual = typeOf(value);
  if (actual !== type && !(type === 'float' && actual === 'integer'))
    return invalid(`The default value is not of the type ${type}.`, '/defaultValue');
  const defaultValue = JSON.stringify(value);
  if (defaultValue.length > MODEL_LIMITS.payloadLength.max) {
    return invalid(`The default value has more than ${MODEL_LIMITS.payloadLength.max} characters.`, '/defaultValue');
  }
  return { type, defaultValue };
}
