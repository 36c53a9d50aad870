import type { components } from '../api/schema.d.ts';
import { api, read, stated, type Writing, write } from '../data/client.ts';
import { ifSame } from '../data/if-same.ts';
import { keys } from '../data/keys.ts';
import { type MayNot, useMay } from '../data/may.ts';
import { readTemplates } from '../data/release-templates.ts';
import { isNew, newStrategyId, type StrategyDraft } from '../domain/model.ts';
import { same } from '../domain/same.ts';
import { plannedStrategy } from '../domain/waiting-milestone.ts';
import { fieldSentences } from '../parts/differences.ts';
import { path } from '../paths.ts';
import { newStrategy } from '../strategies/use-environment-draft.ts';
import { strategySentences } from '../words/en/differences.ts';
import { minutesText, templates as words } from '../words/en/flags/release.ts';
import { parts } from '../words/en/parts.ts';
import { type SegmentNames, strategyName, strategyWords } from '../words/en/rule-sentences.ts';

type Schemas = components['schemas'];
export type Template = Schemas['releasePlanTemplateSchema'];
type Body = Schemas['createReleasePlanTemplateSchema'];

const PATH = '/api/admin/release-plan-templates';
const OF_PROJECT = '/api/admin/projects/{projectId}/release-plan-templates';

/** Whose templates: undefined for those of all projects. */
export type Owner = string | undefined;

const MAY_CHANGE_PROJECT = ['UPDATE_PROJECT', 'PROJECT_SETTINGS_WRITE'] as const;

/** Why the person may not create, change or delete the templates of this owner. */
export function useMayTemplate(act: 'CREATE' | 'UPDATE' | 'DELETE', owner: Owner): MayNot {
  return useMay(owner === undefined ? `RELEASE_PLAN_TEMPLATE_${act}` : MAY_CHANGE_PROJECT, owner);
}

/** The page of all templates of this owner, of one of them, and of a new one. */
export const pagesOf = (owner: Owner) =>
  owner === undefined
    ? {
        list: path('releaseTemplates'),
        one: (id: string) => path('releaseTemplate', { id }),
        create: path('createReleaseTemplate'),
      }
    : {
        list: path('projectReleaseTemplates', { projectId: owner }),
        one: (id: string) => path('projectReleaseTemplate', { projectId: owner, id }),
        create: path('createProjectReleaseTemplate', { projectId: owner }),
      };

export const templatesQuery = (owner: Owner) =>
  ({
    queryKey: keys.releaseTemplates('all', owner ?? null),
    queryFn: async () => (await Promise.all([readTemplates(false, owner), readTemplates(true, owner)])).flat(),
  }) as const;

const readOne = (templateId: string, owner: Owner) =>
  owner === undefined
    ? read(api.GET(`${PATH}/{templateId}`, { params: { path: { templateId } }, cache: 'no-store' }))
    : read(
        api.GET(`${OF_PROJECT}/{templateId}`, {
          params: { path: { projectId: owner, templateId } },
          cache: 'no-store',
        }),
      );

export const templateQuery = (id: string, owner: Owner) =>
  ({ queryKey: keys.releaseTemplate(id, owner), queryFn: () => readOne(id, owner) }) as const;

/** A milestone as it is edited. A new one has an id that is never sent, as a new strategy has. */
export interface MilestoneDraft {
  readonly id: string;
  readonly name: string;
  /** Null: a person starts the next milestone. */
  readonly minutes: number | null;
  readonly strategies: readonly StrategyDraft[];
}

export interface TemplateDraft {
  readonly name: string;
  readonly description: string;
  readonly milestones: readonly MilestoneDraft[];
}

export const draftOf = ({ name, description, milestones }: Template): TemplateDraft => ({
  name,
  description: description ?? '',
  milestones: milestones.map((one) => ({
    id: one.id,
    name: one.name,
    minutes: one.transitionCondition?.intervalMinutes ?? null,
    strategies: one.strategies.map(plannedStrategy),
  })),
});

export function addedStrategy(percent = '100'): StrategyDraft {
  const { parameters, ...rest } = newStrategy('', 'default');
  return { ...rest, id: newStrategyId(), parameters: { ...parameters, rollout: percent } };
}

/** Names and shares of users that milestones begin with. */
const USUAL = [
  { name: words.usual.first, percent: '10' },
  { name: words.usual.half, percent: '50' },
  { name: words.usual.everyone, percent: '100' },
] as const;

export function addedMilestone(position: number): MilestoneDraft {
  const { name, percent } = USUAL[position] ?? { name: '', percent: '100' };
  return { id: newStrategyId(), name, minutes: null, strategies: [addedStrategy(percent)] };
}

export const emptyTemplate = (): TemplateDraft => ({
  name: '',
  description: '',
  milestones: USUAL.map((_, position) => addedMilestone(position)),
});

const idOf = (one: { readonly id: string }) => (isNew(one) ? {} : { id: one.id });

function bodyOf({ name, description, milestones }: TemplateDraft): Body {
  return {
    name: name.trim(),
    description: description.trim() || null,
    milestones: milestones.map((milestone, sortOrder) => ({
      ...idOf(milestone),
      name: milestone.name.trim(),
      sortOrder,
      transitionCondition: milestone.minutes === null ? null : { intervalMinutes: milestone.minutes },
      strategies: milestone.strategies.map(({ id, name: strategyName, ...content }, at) => ({
        ...idOf({ id }),
        strategyName,
        sortOrder: at,
        title: content.title,
        disabled: content.disabled,
        parameters: content.parameters,
        constraints: [...content.constraints],
        segments: [...content.segments],
        variants: [...content.variants],
      })),
    })),
  };
}

export function createTemplate(owner: Owner, draft: TemplateDraft, reason: string): Writing<Template> {
  const sent = { headers: stated({ reason }), body: bodyOf(draft) };
  return owner === undefined
    ? write(api.POST(PATH, sent))
    : write(api.POST(OF_PROJECT, { params: { path: { projectId: owner } }, ...sent }));
}

const ownerOf = ({ project }: Template): Owner => project ?? undefined;

/** On condition that the template is as it was when `base` was read. */
export function saveTemplate(
  template: Template,
  base: TemplateDraft,
  draft: TemplateDraft,
  reason: string,
): Writing<Template> {
  const owner = ownerOf(template);
  const { id: templateId } = template;
  const sent = { headers: stated({ reason }), body: bodyOf(draft) };
  return ifSame(
    async () => draftOf(await readOne(templateId, owner)),
    base,
    () =>
      owner === undefined
        ? write(api.PUT(`${PATH}/{templateId}`, { params: { path: { templateId } }, ...sent }))
        : write(api.PUT(`${OF_PROJECT}/{templateId}`, { params: { path: { projectId: owner, templateId } }, ...sent })),
  );
}

export function archiveTemplate(template: Template, reason: string): Writing<unknown> {
  const owner = ownerOf(template);
  const { id: templateId } = template;
  const headers = stated({ reason });
  if (owner === undefined)
    return write<unknown>(api.POST(`${PATH}/archive/{templateId}`, { params: { path: { templateId } }, headers }));
  const params = { path: { projectId: owner, templateId } };
  return write<unknown>(api.POST(`${OF_PROJECT}/archive/{templateId}`, { params, headers }));
}

export function deleteTemplate(template: Template, reason: string): Writing<unknown> {
  const owner = ownerOf(template);
  const { id: templateId } = template;
  const headers = stated({ reason });
  if (owner === undefined)
    return write<unknown>(api.DELETE(`${PATH}/{templateId}`, { params: { path: { templateId } }, headers }));
  const params = { path: { projectId: owner, templateId } };
  return write<unknown>(api.DELETE(`${OF_PROJECT}/{templateId}`, { params, headers }));
}

/** Why it cannot be saved yet. */
export function problemOf({ name, milestones }: TemplateDraft): string | undefined {
  if (name.trim() === '') return parts.fieldMissing(words.name);
  if (milestones.some((one) => one.name.trim() === '')) return words.milestoneMissing;
  const empty = milestones.find(({ strategies }) => strategies.every(({ disabled }) => disabled));
  return empty && words.strategyMissing(empty.name);
}

function milestoneSentences(before: MilestoneDraft, after: MilestoneDraft, segments: SegmentNames): string[] {
  const { differences } = words;
  const { name } = after;
  const known = new Map(before.strategies.map((one) => [one.id, one]));
  const kept = new Set(after.strategies.map(({ id }) => id));
  const orderOf = ({ strategies }: MilestoneDraft) =>
    strategies.filter(({ id }) => known.has(id) && kept.has(id)).map(({ id }) => id);
  return [
    ...(before.name === name ? [] : [differences.renamed(before.name, name)]),
    ...(before.minutes === after.minutes
      ? []
      : [after.minutes === null ? differences.byHand(name) : differences.after(name, minutesText(after.minutes))]),
    ...after.strategies.flatMap((strategy) => {
      const was = known.get(strategy.id);
      if (!was) return [differences.strategyAdded(name, strategyWords(strategy, segments))];
      return strategySentences(was, strategy, segments).map(({ text }) =>
        differences.strategyChanged(name, `${strategyName(was, segments)} — ${text}`),
      );
    }),
    ...before.strategies
      .filter(({ id }) => !kept.has(id))
      .map((one) => differences.strategyRemoved(name, strategyWords(one, segments))),
    ...(same(orderOf(before), orderOf(after)) ? [] : [differences.strategyOrder(name)]),
  ];
}

/** All that differs, in sentences. */
export function sentencesOf(before: TemplateDraft, after: TemplateDraft, segments: SegmentNames): string[] {
  const { differences } = words;
  const known = new Map(before.milestones.map((one) => [one.id, one]));
  const kept = new Set(after.milestones.map(({ id }) => id));
  const orderOf = ({ milestones }: TemplateDraft) =>
    milestones.filter(({ id }) => known.has(id) && kept.has(id)).map(({ id }) => id);
  return [
    ...fieldSentences(before, after, { name: words.name, description: words.description }),
    ...before.milestones.filter(({ id }) => !kept.has(id)).map(({ name }) => differences.milestoneRemoved(name)),
    ...after.milestones.flatMap((milestone) => {
      const was = known.get(milestone.id);
      if (was) return milestoneSentences(was, milestone, segments);
      const { name } = milestone;
      const empty: MilestoneDraft = { ...milestone, minutes: null, strategies: [] };
      return [differences.milestoneAdded(name), ...milestoneSentences(empty, milestone, segments)];
    }),
    ...(same(orderOf(before), orderOf(after)) ? [] : [differences.order]),
  ];
}

/** The list with the entry one place up or down. */
export function moved<T extends { readonly id: string }>(list: readonly T[], id: string, by: 1 | -1): readonly T[] {
  const at = list.findIndex((one) => one.id === id);
  const item = list[at];
  const to = at + by;
  return item && to >= 0 && to < list.length ? list.toSpliced(at, 1).toSpliced(to, 0, item) : list;
}
