import type { AuditEvent, EventType } from '../../model/event.ts';

/** What an event is called, and what whoever caused it did. */
type Words = readonly [label: string, did: string];

/**
 * How every type of event is told to people. In the second text `{flag}` is the flag, with the project it is in; `{project}` the project; `{on}` the
 * environment, if there is one; `{in}` the project, if there is one; `{what}` the name of what was changed.
 */
const WORDS: Readonly<Record<EventType, Words>> = {
  'application-created': ['Application seen', 'saw the application {what} for the first time'],
  'feature-created': ['Flag created', 'created the flag {flag}'],
  'feature-deleted': ['Flag deleted', 'deleted the flag {flag}'],
  'feature-updated': ['Flag changed', 'changed the flag {flag}'],
  'feature-metadata-updated': ['Flag changed', 'changed what the flag {flag} says of itself'],
  'feature-variants-updated': ['Variants changed', 'changed the variants of the flag {flag}'],
  'feature-environment-variants-updated': ['Variants changed', 'changed the variants of the flag {flag}{on}'],
  'feature-project-change': ['Flag moved', 'moved the flag {flag} to another project'],
  'feature-archived': ['Flag archived', 'archived the flag {flag}'],
  'feature-revived': ['Flag revived', 'took the flag {flag} out of the archive'],
  'feature-import': ['Flag imported', 'imported the flag {flag}{on}'],
  'feature-tagged': ['Flag tagged', 'put the tag {tag} on the flag {flag}'],
  'feature-tag-import': ['Tags imported', 'imported tags of the flag {flag}'],
  'feature-strategy-update': ['Strategy changed', 'changed {strategy} of the flag {flag}{on}'],
  'feature-strategy-add': ['Strategy added', 'added {strategy} to the flag {flag}{on}'],
  'feature-strategy-remove': ['Strategy removed', 'removed {strategy} from the flag {flag}{on}'],
  'feature-type-updated': ['Flag type changed', 'changed how long flags of the type {what} are expected to be needed'],
  'feature-completed': ['Flag completed', 'marked the flag {flag} as completed'],
  'feature-uncompleted': ['Flag not completed', 'took back that the flag {flag} was completed'],
  'strategy-order-changed': ['Strategies sorted', 'sorted the strategies of the flag {flag}{on}'],
  'drop-feature-tags': ['Tags of flags dropped', 'dropped the tags of all flags'],
  'feature-untagged': ['Tag removed', 'took the tag {tag} off the flag {flag}'],
  'feature-stale-on': ['Flag stale', 'marked the flag {flag} as stale'],
  'feature-stale-off': ['Flag not stale', 'marked the flag {flag} as no longer stale'],
  'drop-features': ['Flags dropped', 'dropped all flags'],
  'feature-environment-enabled': ['Flag switched on', 'switched the flag {flag} on{on}'],
  'feature-environment-disabled': ['Flag switched off', 'switched the flag {flag} off{on}'],
  'strategy-created': ['Strategy type created', 'created the strategy type {what}'],
  'strategy-deleted': ['Strategy type deleted', 'deleted the strategy type {what}'],
  'strategy-deprecated': ['Strategy type deprecated', 'deprecated the strategy type {what}'],
  'strategy-reactivated': ['Strategy type reactivated', 'took the strategy type {what} into use again'],
  'strategy-updated': ['Strategy type changed', 'changed the strategy type {what}'],
  'strategy-import': ['Strategy type imported', 'imported the strategy type {what}'],
  'drop-strategies': ['Strategy types dropped', 'dropped all strategy types'],
  'context-field-created': ['Context field created', 'created the context field {what}{in}'],
  'context-field-updated': ['Context field changed', 'changed the context field {what}{in}'],
  'context-field-deleted': ['Context field deleted', 'deleted the context field {what}{in}'],
  'project-access-added': ['Access given', 'gave access to {project}'],
  'project-access-user-roles-updated': ['Roles of a user changed', 'changed the roles of a user in {project}'],
  'project-access-group-roles-updated': ['Roles of a group changed', 'changed the roles of a group in {project}'],
  'project-access-user-roles-deleted': ['User taken out of project', 'took a user out of {project}'],
  'project-access-group-roles-deleted': ['Group taken out of project', 'took a group out of {project}'],
  'project-access-updated': ['Access changed', 'changed who has access to {project}'],
  'project-created': ['Project created', 'created {project}'],
  'project-updated': ['Project changed', 'changed {project}'],
  'project-deleted': ['Project deleted', 'deleted {project}'],
  'project-archived': ['Project archived', 'archived {project}'],
  'project-revived': ['Project revived', 'took {project} out of the archive'],
  'project-import': ['Project imported', 'imported {project}'],
  'project-user-added': ['User added to project', 'gave a user a role in {project}'],
  'project-user-removed': ['User taken out of project', 'took a role in {project} away from a user'],
  'project-user-role-changed': ['Role of a user changed', 'changed the role of a user in {project}'],
  'project-group-role-changed': ['Role of a group changed', 'changed the role of a group in {project}'],
  'project-group-added': ['Group added to project', 'gave a group a role in {project}'],
  'project-group-removed': ['Group taken out of project', 'took a role in {project} away from a group'],
  'role-created': ['Role created', 'created the role {what}'],
  'role-updated': ['Role changed', 'changed the role {what}'],
  'role-deleted': ['Role deleted', 'deleted the role {what}'],
  'drop-projects': ['Projects dropped', 'dropped all projects'],
  'tag-created': ['Tag created', 'created the tag {tag}'],
  'tag-deleted': ['Tag deleted', 'deleted the tag {tag}'],
  'tag-import': ['Tag imported', 'imported the tag {tag}'],
  'drop-tags': ['Tags dropped', 'dropped all tags'],
  'tag-type-created': ['Tag type created', 'created the tag type {what}'],
  'tag-type-deleted': ['Tag type deleted', 'deleted the tag type {what}'],
  'tag-type-updated': ['Tag type changed', 'changed the tag type {what}'],
  'tag-type-import': ['Tag type imported', 'imported the tag type {what}'],
  'drop-tag-types': ['Tag types dropped', 'dropped all tag types'],
  'addon-config-created': ['Integration created', 'created the integration {what}'],
  'addon-config-updated': ['Integration changed', 'changed the integration {what}'],
  'addon-config-deleted': ['Integration deleted', 'deleted the integration {what}'],
  'db-pool-update': ['Database pool changed', 'changed the pool of database connections'],
  'user-created': ['User created', 'created the user {what}'],
  'user-updated': ['User changed', 'changed the user {what}'],
  'user-deleted': ['User deleted', 'deleted the user {what}'],
  'drop-environments': ['Environments dropped', 'dropped all environments'],
  'environment-import': ['Environment imported', 'imported the environment {what}'],
  'environment-created': ['Environment created', 'created the environment {what}'],
  'environment-updated': ['Environment changed', 'changed the environment {what}'],
  'environment-deleted': ['Environment deleted', 'deleted the environment {what}'],
  'segment-created': ['Segment created', 'created the segment {what}{in}'],
  'segment-updated': ['Segment changed', 'changed the segment {what}{in}'],
  'segment-deleted': ['Segment deleted', 'deleted the segment {what}{in}'],
  'group-created': ['Group created', 'created the group {what}'],
  'group-updated': ['Group changed', 'changed the group {what}'],
  'group-deleted': ['Group deleted', 'deleted the group {what}'],
  'group-user-added': ['User added to group', 'put a user into the group {what}'],
  'group-user-removed': ['User taken out of group', 'took a user out of the group {what}'],
  'setting-created': ['Setting made', 'made the setting {what}'],
  'setting-updated': ['Setting changed', 'changed the setting {what}'],
  'setting-deleted': ['Setting removed', 'removed the setting {what}'],
  'client-metrics': ['Metrics received', 'received metrics of {what}'],
  'client-register': ['Client registered', 'took down that {what} has registered'],
  'pat-created': ['Personal token created', 'created the token {what}'],
  'pat-deleted': ['Personal token deleted', 'deleted the token {what}'],
  'public-signup-token-created': ['Signup link created', 'created the public signup link {what}'],
  'public-signup-token-user-added': ['User signed up', 'signed up with a public link'],
  'public-signup-token-updated': ['Signup link changed', 'changed the public signup link {what}'],
  'change-request-created': ['Change request created', 'created the change request {request}{in}{on}'],
  'change-request-discarded': ['Change request discarded', 'discarded the change request {request}{in}{on}'],
  'change-added': ['Change added', 'added a change to the change request {request}{in}{on}'],
  'change-discarded': ['Change discarded', 'discarded a change of the change request {request}{in}{on}'],
  'change-edited': ['Change edited', 'edited a change of the change request {request}{in}{on}'],
  'change-request-rejected': ['Change request rejected', 'rejected the change request {request}{in}{on}'],
  'change-request-approved': ['Change request approved', 'approved the change request {request}{in}{on}'],
  'change-request-approval-added': ['Approval added', 'added an approval to the change request {request}{in}{on}'],
  'change-request-cancelled': ['Change request cancelled', 'cancelled the change request {request}{in}{on}'],
  'change-request-sent-to-review': [
    'Change request sent to review',
    'sent the change request {request} to review{in}{on}',
  ],
  'change-request-schedule-suspended': ['Schedule suspended', 'suspended the change request {request}{in}{on}'],
  'change-request-applied': ['Change request applied', 'applied the change request {request}{in}{on}'],
  'change-request-scheduled': ['Change request scheduled', 'scheduled the change request {request}{in}{on}'],
  'change-request-scheduled-application-success': [
    'Scheduled change request applied',
    'applied the scheduled change request {request}{in}{on}',
  ],
  'change-request-scheduled-application-failure': [
    'Scheduled change request failed',
    'could not apply the scheduled change request {request}{in}{on}',
  ],
  'change-request-configuration-updated': [
    'Change requests configured',
    'changed when change requests are needed{in}{on}',
  ],
  'api-token-created': ['API token created', 'created the API token {what}{on}'],
  'api-token-updated': ['API token changed', 'changed the API token {what}{on}'],
  'api-token-deleted': ['API token deleted', 'deleted the API token {what}{on}'],
  'feature-favorited': ['Flag marked', 'marked the flag {flag} as a favourite'],
  'feature-unfavorited': ['Flag unmarked', 'no longer has the flag {flag} as a favourite'],
  'project-favorited': ['Project marked', 'marked {project} as a favourite'],
  'project-unfavorited': ['Project unmarked', 'no longer has {project} as a favourite'],
  'features-exported': ['Flags exported', 'exported flags{in}{on}'],
  'features-imported': ['Flags imported', 'imported flags{in}{on}'],
  'service-account-created': ['Service account created', 'created the service account {what}'],
  'service-account-deleted': ['Service account deleted', 'deleted the service account {what}'],
  'service-account-updated': ['Service account changed', 'changed the service account {what}'],
  'feature-potentially-stale-on': ['Flag potentially stale', 'marked the flag {flag} as potentially stale'],
  'feature-dependency-added': ['Dependency added', 'made the flag {flag} depend on another one'],
  'feature-dependency-removed': ['Dependency removed', 'removed a dependency of the flag {flag}'],
  'feature-dependencies-removed': ['Dependencies removed', 'removed the dependencies of the flag {flag}'],
  'banner-created': ['Banner created', 'created a banner'],
  'banner-updated': ['Banner changed', 'changed a banner'],
  'banner-deleted': ['Banner deleted', 'deleted a banner'],
  'project-environment-added': ['Environment added to project', 'added an environment to {project}{on}'],
  'project-environment-removed': ['Environment removed from project', 'removed an environment from {project}{on}'],
  'default-strategy-updated': ['Default strategy changed', 'changed the default strategy of {project}{on}'],
  'segment-import': ['Segment imported', 'imported the segment {what}'],
  'signal-endpoint-created': ['Signal endpoint created', 'created the signal endpoint {what}'],
  'signal-endpoint-updated': ['Signal endpoint changed', 'changed the signal endpoint {what}'],
  'signal-endpoint-deleted': ['Signal endpoint deleted', 'deleted the signal endpoint {what}'],
  'signal-endpoint-token-created': ['Signal token created', 'created the signal token {what}'],
  'signal-endpoint-token-updated': ['Signal token changed', 'changed the signal token {what}'],
  'signal-endpoint-token-deleted': ['Signal token deleted', 'deleted the signal token {what}'],
  'actions-created': ['Actions created', 'created the actions {what}{in}'],
  'actions-updated': ['Actions changed', 'changed the actions {what}{in}'],
  'actions-deleted': ['Actions deleted', 'deleted the actions {what}{in}'],
  'history-surplus': ['History lost', 'found that changes are not part of the history any more'],
  'feature-link-added': ['Link added', 'added a link to the flag {flag}'],
  'feature-link-updated': ['Link changed', 'changed a link of the flag {flag}'],
  'feature-link-removed': ['Link removed', 'removed a link from the flag {flag}'],
  'history-reapplied': ['History repaired', 'made a lost change again'],
};

/** Longest text of an event that is told in its summary. Characters. */
const TOLD_LENGTH_MAX = 100;

/** What the event is called. */
export function eventLabel({ type }: Pick<AuditEvent, 'type'>): string | null {
  return WORDS[type]?.[0] ?? null;
}

/** The event in a sentence of Markdown, with links to the pages of flags and projects. `basePath` is put before them. */
export function eventSummary(event: AuditEvent, basePath: string): string | null {
  const did = WORDS[event.type]?.[1];
  if (did === undefined) return null;
  const sentence = did.replace(/\{(\w+)\}/g, (_match, part: string) => PARTS[part]?.(event, basePath) ?? '');
  return `${bold(event.createdBy)} ${sentence}`;
}

type Part = (event: AuditEvent, basePath: string) => string;

const PARTS: Readonly<Record<string, Part>> = {
  flag: ({ featureName, project }, basePath) => {
    const name = featureName ?? '';
    if (project === null) return bold(name);
    const page = `${basePath}/projects/${encodeURIComponent(project)}/features/${encodeURIComponent(name)}`;
    return `${linked(name, page)} in ${projectLink(project, basePath)}`;
  },
  project: ({ project }, basePath) => (project === null ? 'a project' : projectLink(project, basePath)),
  in: ({ project }, basePath) => (project === null ? '' : ` in ${projectLink(project, basePath)}`),
  on: ({ environment }) => (environment === null ? '' : ` in the environment ${bold(environment)}`),
  what: (event) => bold(told(event, ['name', 'tokenName', 'username', 'email', 'description', 'appName', 'id']) ?? '?'),
  tag: (event) => bold([told(event, ['type']), told(event, ['value'])].filter((text) => text !== null).join(':')),
  strategy: (event) => `the strategy ${bold(told(event, ['title', 'name']) ?? '?')}`,
  request: (event) => bold(`#${told(event, ['changeRequestId', 'id']) ?? '?'}`),
};

function projectLink(project: string, basePath: string): string {
  return `the project ${linked(project, `${basePath}/projects/${encodeURIComponent(project)}`)}`;
}

/** The first of the properties that is a text or a number: of what is so now, else of what was. */
function told({ data, preData }: AuditEvent, names: readonly string[]): string | null {
  for (const side of [data, preData]) {
    if (typeof side !== 'object' || side === null) continue;
    for (const name of names) {
      const value: unknown = Object.hasOwn(side, name) ? (side as Record<string, unknown>)[name] : undefined;
      if (typeof value === 'number' || (typeof value === 'string' && value !== '')) return String(value);
    }
  }
  return null;
}

function linked(text: string, page: string): string {
  return `**[${plain(text)}](${page.replaceAll('(', '%28').replaceAll(')', '%29')})**`;
}

function bold(text: string): string {
  return `**${plain(text)}**`;
}

/** Text of people, so that nothing of it is Markdown, nor HTML. */
function plain(text: string): string {
  const short = text.length > TOLD_LENGTH_MAX ? `${text.slice(0, TOLD_LENGTH_MAX)}…` : text;
  return short.replace(/\s+/g, ' ').replace(/[\\`*_{}[\]()<>#|~]/g, '\\$&');
}
