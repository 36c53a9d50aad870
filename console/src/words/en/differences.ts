import { changesBetween, isReordered } from '../../domain/changes.ts';
import type { Constraint, EnvironmentSettings, StrategyDraft, StrategyVariant } from '../../domain/model.ts';
import { same } from '../../domain/same.ts';
import { constraintWords, listWords, type SegmentNames, strategyName, strategyWords } from './rule-sentences.ts';

/** One sentence about a change; `detail` has the values for who wants to see them exactly. */
export interface Sentence {
  readonly text: string;
  readonly before?: unknown;
  readonly after?: unknown;
}

const code = (text: unknown) => `\`${String(text)}\``;
const keyOf = (constraint: Constraint) =>
  `${constraint.contextName} ${constraint.operator} ${constraint.inverted ?? false}`;

/** A list of values that changed says which values, not the whole list. */
function changedValues(before: Constraint, after: Constraint): string {
  const [old, now] = [before.values ?? [], after.values ?? []];
  const [had, has] = [new Set(old), new Set(now)];
  const added = now.filter((value) => !had.has(value));
  const removed = old.filter((value) => !has.has(value));
  const parts = [added.length ? `+ ${listWords(added)}` : '', removed.length ? `− ${listWords(removed)}` : ''].filter(
    Boolean,
  );
  return parts.length
    ? `Values of ${code(after.contextName)}: ${parts.join(', ')}`
    : `Constraint is now ${constraintWords(after)}`;
}

export function constraintSentences(before: readonly Constraint[], after: readonly Constraint[]): string[] {
  const texts: string[] = [];
  const old = new Map(before.map((constraint) => [keyOf(constraint), constraint]));
  const kept = new Set<string>();
  for (const constraint of after) {
    const key = keyOf(constraint);
    const was = old.get(key);
    if (!was) texts.push(`Constraint added: ${constraintWords(constraint)}`);
    else {
      kept.add(key);
      if (!same(was, constraint)) texts.push(changedValues(was, constraint));
    }
  }
  for (const [key, constraint] of old)
    if (!kept.has(key)) texts.push(`Constraint removed: ${constraintWords(constraint)}`);
  return texts;
}

const percent = (weight: number) => `${weight / 10}%`;

export function variantSentences(
  before: readonly Pick<StrategyVariant, 'name' | 'weight' | 'payload'>[],
  after: readonly Pick<StrategyVariant, 'name' | 'weight' | 'payload'>[],
): string[] {
  const texts: string[] = [];
  const old = new Map(before.map((variant) => [variant.name, variant]));
  for (const variant of after) {
    const was = old.get(variant.name);
    old.delete(variant.name);
    if (!was) texts.push(`Variant ${code(variant.name)} added with ${percent(variant.weight)}`);
    else {
      if (was.weight !== variant.weight) {
        texts.push(`Variant ${code(variant.name)}: ${percent(was.weight)} → ${percent(variant.weight)}`);
      }
      if (!same(was.payload, variant.payload)) texts.push(`Payload of variant ${code(variant.name)} changed`);
    }
  }
  for (const name of old.keys()) texts.push(`Variant ${code(name)} removed`);
  return texts.length === 0 && !same(before, after) ? ['Settings of variants changed'] : texts;
}

const PARAMETER_NAMES: Readonly<Record<string, string>> = {
  rollout: 'Rollout',
  stickiness: 'Stickiness',
  groupId: 'Group',
};

/** `flag`: the flag of the strategies. Its name is the group of a strategy that has none. */
export function strategySentences(
  before: StrategyDraft,
  after: StrategyDraft,
  segments: SegmentNames,
  flag?: string,
): Sentence[] {
  const texts: Sentence[] = [];
  const say = (text: string, was?: unknown, now?: unknown) => texts.push({ text, before: was, after: now });
  if (before.title !== after.title) say(`Title: ${code(before.title ?? 'none')} → ${code(after.title ?? 'none')}`);
  if (before.disabled !== after.disabled) say(after.disabled ? 'Switched **off**' : 'Switched **on**');
  for (const name of new Set([...Object.keys(before.parameters), ...Object.keys(after.parameters)])) {
    const [was, now] = [before.parameters[name], after.parameters[name]];
    if (was === now || (name === 'groupId' && flag !== undefined && (was ?? flag) === (now ?? flag))) continue;
    const unit = name === 'rollout' || name === 'percentage' ? '%' : '';
    say(
      `${PARAMETER_NAMES[name] ?? name}: ${code(`${was ?? 'none'}${unit}`)} → ${code(`${now ?? 'none'}${unit}`)}`,
      was,
      now,
    );
  }
  for (const text of constraintSentences(before.constraints, after.constraints)) {
    say(text, before.constraints, after.constraints);
  }
  if (
    !same(before.constraints, after.constraints) &&
    constraintSentences(before.constraints, after.constraints).length === 0
  ) {
    say('Order of constraints changed', before.constraints, after.constraints);
  }
  const name = (id: number) => code(segments.get(id) ?? `#${id}`);
  for (const id of after.segments) if (!before.segments.includes(id)) say(`Segment ${name(id)} added`);
  for (const id of before.segments) if (!after.segments.includes(id)) say(`Segment ${name(id)} removed`);
  if (!same(before.variants, after.variants)) {
    for (const text of variantSentences(before.variants, after.variants)) say(text, before.variants, after.variants);
  }
  return texts;
}

/** Each change of the draft, in words. */
export function differenceWords(
  before: EnvironmentSettings,
  after: EnvironmentSettings,
  segments: SegmentNames,
  flag?: string,
): Sentence[] {
  const sentences: Sentence[] = [];
  const old = new Map(before.strategies.map((strategy) => [strategy.id, strategy]));
  for (const change of changesBetween(before, after)) {
    if (change.action === 'updateEnabled') {
      sentences.push({
        text: change.payload.enabled ? 'Switched **on**' : 'Switched **off**',
        before: before.enabled,
        after: after.enabled,
      });
    } else if (change.action === 'addStrategy') {
      const added = { ...change.payload, id: change.draftId };
      const off = added.disabled ? ' (off)' : '';
      const title = added.title ? `“${added.title}”: ` : '';
      sentences.push({
        text: `Strategy added: ${title}${strategyWords(added, segments)}${off}`,
        after: change.payload,
      });
    } else if (change.action === 'deleteStrategy') {
      const was = old.get(change.payload.id);
      if (was) sentences.push({ text: `Strategy deleted: ${strategyName(was, segments)}`, before: was });
    } else if (change.action === 'updateStrategy') {
      const was = old.get(change.payload.id);
      const now = after.strategies.find(({ id }) => id === change.payload.id);
      if (!was || !now) continue;
      for (const sentence of strategySentences(was, now, segments, flag)) {
        sentences.push({ ...sentence, text: `${strategyName(was, segments)} — ${sentence.text}` });
      }
    } else if (change.action === 'reorderStrategy') {
      if (isReordered(before, after)) sentences.push({ text: 'Order of strategies changed' });
    } else {
      for (const text of variantSentences(before.variants, after.variants)) {
        sentences.push({ text, before: before.variants, after: after.variants });
      }
    }
  }
  return sentences;
}
