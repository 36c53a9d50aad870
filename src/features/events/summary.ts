import type { ChangeAction } from '../../model/change-request.ts';
import { type AuditEvent, allEvents, type EventType } from '../../model/event.ts';

/** Maximum length of a text of an event in its summary, in characters. Longer texts are cut. */
const TEXT_LENGTH_MAX = 100;

/** The fields of an event's data that the parts of a summary need. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  what: ['name', 'tokenName', 'username', 'email', 'description', 'appName', 'id'],
  tag: ['type', 'value'],
  strategy: ['title', 'name'],
  request: ['changeRequestId', 'id', 'title'],
  change: ['action', 'feature', 'segmentName', 'enabled'],
  changes: ['changes', 'changeCount'],
};

/** The names of the fields of an event's data that its summary needs. */
export function namesInSummary(type: EventType): readonly string[] {
  const template = allEvents()[type]?.[1] ?? '';
  return [...template.matchAll(/\{(\w+)\}/g)].flatMap(([, part = '']) => NAMES[part] ?? []);
}

/** The label of the event's type; null for an unknown type. */
export function eventLabel({ type }: Pick<AuditEvent, 'type'>): string | null {
  return allEvents()[type]?.[0] ?? null;
}

/** The event as a sentence of Markdown, with links to the pages of flags and projects. `basePath` prefixes the links. */
export function eventSummary(event: AuditEvent, basePath: string): string | null {
  const template = allEvents()[event.type]?.[1];
  if (template === undefined) return null;
  const sentence = template.replace(/\{(\w+)\}/g, (_match, part: string) => PARTS[part]?.(event, basePath) ?? '');
  return `${bold(event.createdBy)} ${sentence}`;
}

type Part = (event: AuditEvent, basePath: string) => string;

const PARTS: Readonly<Record<string, Part>> = {
  flag: ({ featureName, project }, basePath) => {
    const name = featureName ?? '';
    if (project === null) return bold(name);
    const page = `${basePath}/projects/${encodeURIComponent(project)}/features/${encodeURIComponent(name)}`;
    return `${link(name, page)} in ${projectLink(project, basePath)}`;
  },
  project: ({ project }, basePath) => (project === null ? 'a project' : projectLink(project, basePath)),
  in: ({ project }, basePath) => (project === null ? '' : ` in ${projectLink(project, basePath)}`),
  on: ({ environment }) => (environment === null ? '' : ` in the environment ${bold(environment)}`),
  what: (event) => bold(firstText(event, 'what') ?? '?'),
  tag: (event) => {
    const texts = (NAMES.tag ?? []).map((name) => firstOf(event, [name]));
    return bold(texts.filter((text) => text !== null).join(':'));
  },
  strategy: (event) => `the strategy ${bold(firstText(event, 'strategy') ?? '?')}`,
  request: (event) => {
    const number = bold(`#${firstOf(event, ['changeRequestId', 'id']) ?? '?'}`);
    const title = firstOf(event, ['title']);
    return title === null ? number : `${number} “${escaped(title)}”`;
  },
  change: ({ data }) => {
    const text = requestedText(data);
    return text === undefined ? '' : `: ${text}`;
  },
  changes: ({ data }) => {
    const { changes, changeCount } = (data ?? {}) as { readonly changes?: unknown; readonly changeCount?: unknown };
    const texts = Array.isArray(changes) ? changes.map(requestedText).filter((text) => text !== undefined) : [];
    if (texts.length === 0) return '';
    const others = Number(changeCount) - texts.length;
    return `: ${texts.join('; ')}${others > 0 ? `; and ${others} more` : ''}`;
  },
};

/** What a change of a change request does; undefined for an event of a version that did not record it. */
function requestedText(change: unknown): string | undefined {
  if (typeof change !== 'object' || change === null) return undefined;
  const { action, feature, segmentName, segment, enabled } = change as Readonly<Record<string, unknown>>;
  const target = feature ?? segmentName ?? segment;
  if (typeof action !== 'string' || !Object.hasOwn(REQUESTED, action) || target === undefined) return undefined;
  const template = REQUESTED[action as ChangeAction];
  const position = enabled === undefined ? 'on or off' : enabled === true ? 'on' : 'off';
  return template.replace('{}', () => bold(String(target))).replace('{on}', position);
}

const REQUESTED: Readonly<Record<ChangeAction, string>> = {
  updateEnabled: 'switch {} {on}',
  addStrategy: 'add a strategy to {}',
  updateStrategy: 'change a strategy of {}',
  deleteStrategy: 'delete a strategy of {}',
  reorderStrategy: 'change the order of strategies of {}',
  patchVariant: 'change the variants of {}',
  addReleasePlan: 'add a release plan to {}',
  deleteReleasePlan: 'delete the release plan of {}',
  startMilestone: 'start a milestone of {}',
  changeMilestoneProgression: 'change when a milestone of {} ends',
  deleteMilestoneProgression: 'no longer end a milestone of {} by itself',
  updateMilestoneStrategy: 'change a strategy of a milestone of {}',
  changeSafeguard: 'change a safeguard of {}',
  deleteSafeguard: 'delete a safeguard of {}',
  archiveFeature: 'archive {}',
  addDependency: 'add a dependency to {}',
  deleteDependency: 'delete a dependency of {}',
  updateSegment: 'change the segment {}',
  deleteSegment: 'delete the segment {}',
};

function projectLink(project: string, basePath: string): string {
  return `the project ${link(project, `${basePath}/projects/${encodeURIComponent(project)}`)}`;
}

function firstText(event: AuditEvent, part: string): string | null {
  return firstOf(event, NAMES[part] ?? []);
}

/**
 * The first of the properties that is a non-empty string or a number. The state after the event is searched first, then the state before the event.
 */
function firstOf({ data, preData }: AuditEvent, names: readonly string[]): string | null {
  for (const side of [data, preData]) {
    if (typeof side !== 'object' || side === null) continue;
    for (const name of names) {
      const value: unknown = Object.hasOwn(side, name) ? (side as Record<string, unknown>)[name] : undefined;
      if (typeof value === 'number' || (typeof value === 'string' && value !== '')) return String(value);
    }
  }
  return null;
}

function link(text: string, page: string): string {
  return `**[${escaped(text)}](${page.replaceAll('(', '%28').replaceAll(')', '%29')})**`;
}

function bold(text: string): string {
  return `**${escaped(text)}**`;
}

/** Shortens and escapes user text, so that it is neither Markdown nor HTML. */
function escaped(text: string): string {
  const short = text.length > TEXT_LENGTH_MAX ? `${text.slice(0, TEXT_LENGTH_MAX)}…` : text;
  return short.replace(/\s+/g, ' ').replace(/[\\`*_{}[\]()<>#|~]/g, '\\$&');
}
