import { readFileSync } from 'node:fs';

const PAGE = new URL('../../docs/move-in/unleash-differences.md', import.meta.url);

type Proof = readonly [file: string, test: string];

const CHANGES = 'test/features/change-requests/change-requests.test.ts';
const SAML = 'test/features/sign-on/saml/saml-attacks.test.ts';
const RIGHTS = 'test/features/people/rights.test.ts';
const ADDONS = 'test/features/addons/addons.test.ts';
const REPORTS = 'test/features/usage/client-reports.test.ts';
const PRIVATE = 'test/features/projects/private-traces.test.ts';

/** Rows of docs/move-in/unleash-differences.md that a test elsewhere shows, because they need more than a request: its file and its name. */
export const PROVEN_ELSEWHERE: Readonly<Record<string, Proof>> = {
  '`X-Forwarded-For`': ['test/http/trusted-proxies.test.ts', 'decides which address a frontend request has'],
  'random results of `/api/frontend` (`random` stickiness, or a context without a session id)': [
    'test/features/frontend/frontend-caching.test.ts',
    'is not evaluated for a client that has it, and keeps its random result',
  ],
  'limits that Unleash does not have': ['test/repository/readme.test.ts', 'the table of limits'],
  'flags that a flag depends on': [
    'test/features/flags/dependencies.test.ts',
    'allows several parents and several children',
  ],
  'regular expressions': [
    'test/evaluation/expressions.test.ts',
    'that is too large, but was stored before the limit, is never satisfied, inverted or not, and has a warning',
  ],
  'API tokens at a relay whose text does not have the form `project:environment.secret`': [
    'test/products/relay/relay.test.ts',
    'refuses a token that its upstream does not know, and a text that is not a token',
  ],
  'SAML responses without a request': [
    SAML,
    'does not work with another audience, recipient, issuer, request, time, algorithm or status',
  ],
  'SAML responses without a signed assertion, or signed with SHA-1': [SAML, 'does not work without a valid signature'],
  'the account that is used for a sign-on through an identity provider': [
    'test/features/sign-on/binding.test.ts',
    'stay bound: another subject with the same email is refused until an admin removes the identities',
  ],
  'secrets in sign-on settings': [
    'test/features/sign-on/settings.test.ts',
    'return a certificate of the service, and never its key',
  ],
  'wrong passwords': [
    'test/features/sign-on/login-throttling.test.ts',
    'are throttled: of many concurrent attempts, as many are verified as of sequential ones',
  ],
  'requests with a session cookie that change something': [
    'test/features/sign-on/sessions.test.ts',
    'is refused for changes from a page of another origin, and accepted from its own origin',
  ],
  'first admin': [
    'test/products/server/first-start.test.ts',
    'is created with the first tokens, with a password that is returned with them and stored as a hash',
  ],
  'assigning or removing a role in a project': [
    RIGHTS,
    'by granting roles in a project: every granted permission must be their own there',
  ],
  'a password that an admin sets, or that is set with a link': [
    'test/features/sign-on/password-routes.test.ts',
    'revokes the personal tokens of the user, as a password from an admin does; a change by the user keeps them',
  ],
  '`requiredApprovals` raised after a change request was approved': [
    CHANGES,
    'needs as many approvals as are required when it is applied, even if fewer were enough before',
  ],
  'admin tokens in `/edge/validate`': [
    REPORTS,
    'asks which tokens exist, and is sent their type, projects and environment',
  ],
  'lists of API tokens': [RIGHTS, 'by reading tokens: secrets with more permissions are not listed'],
  'an update of a flag with `archived: true`': [RIGHTS, 'by an update that archives a flag'],
  'the response about a private project that the caller may not see': [
    'test/http/walks/people-access.torture.ts',
    'a private project',
  ],
  "counts for environments, counts of lifecycle stages, and the instance's statistics": [
    PRIVATE,
    'does not reveal its size: counts include only what the caller can see',
  ],
  'names of flags in `/internal-backstage/prometheus`': [
    'test/features/instance/backstage.test.ts',
    'are left out of the page that anyone may read, also after the project was deleted',
  ],
  SCIM: ['test/features/scim/scim-groups.test.ts', 'that were created in Burgee are neither shown nor changed'],
  'integrations (addons): addresses': ['test/features/addons/destinations.test.ts', 'are public ones'],
  'integrations: attempts': [
    ADDONS,
    'is sent an event again until it accepts it, with the same id, and the later events after it',
  ],
  'integrations: secrets': [ADDONS, 'are not kept when the host changes'],
  'integrations: `/addons/:id/events`': [
    ADDONS,
    'gets the events that happen after its creation, in order, and shows each attempt',
  ],
  'integrations: messages': [
    'test/features/addons/providers.test.ts',
    'of New Relic posts a custom event without null',
  ],
  'release templates and plans': [
    'test/features/release-plans/release-plans.test.ts',
    'starts its first milestone in an environment that is on, beside the strategies of the environment',
  ],
  'signals and actions': [
    'test/features/signals/signals-actions.test.ts',
    'are not more than those of the person who saves it',
  ],
  'cloning an environment': [
    'test/features/environments/environment-clone.test.ts',
    'needs the permission to create environments, and to change each of the projects',
  ],
  'archiving, dependencies and segments in a change request': [
    CHANGES,
    'needs its own approvals when a request in another environment changes it',
  ],
  'approving, applying and scheduling': [
    CHANGES,
    'is reviewed only in its current version, when the reviewer sends a changesVersion',
  ],
  'changes that a user requests while their own change request is in review': [
    CHANGES,
    'has to be approved again after it was edited',
  ],
  'changes that a user requests while they have a draft in the environment': [
    CHANGES,
    'is begun beside a draft, or a draft is named; the newest draft is the one without a choice',
  ],
  '`/edge/issue-token`': [
    'test/features/tokens/edge-tokens.test.ts',
    'returns a client token for each scope, which clients and /edge/validate accept',
  ],
  'members of a project and change requests': [
    CHANGES,
    'is reviewed by other users only, by the required number of them, and once by each',
  ],
  maintenance: [
    'test/features/instance/maintenance.test.ts',
    'allows reads, evaluation, validation and the playground',
  ],
  'potentially stale': [
    'test/features/flags/feature-types.test.ts',
    'is reported once in the audit log, and no other flag is',
  ],
  'reports about flags of projects that the token does not have': [
    REPORTS,
    'does not count flags outside the projects of its token, nor does it list them as missing',
  ],
  'reports of applications': [
    REPORTS,
    'is stored up to the limits, loses no use of existing flags, and is counted where it was dropped',
  ],
  '`client-metrics/features/:name/raw`': [
    'test/features/usage/applications.test.ts',
    'returns nothing for a flag without use, and nothing of a deleted flag with the same name',
  ],
  'outdated SDKs': [
    'test/features/usage/applications.test.ts',
    'shows where it runs, what it uses, and the issues with that, in the fields of the contract',
  ],
  '`http_request_duration_milliseconds`': [
    'test/features/instance/backstage.test.ts',
    'count every poll by its status and time some of them, and time all other requests',
  ],
  '`impactMetrics`': [
    'test/features/impact-metrics/impact-metrics.test.ts',
    'reports counters, gauges and histograms with the states of flags, and the Prometheus page has the sums',
  ],
  'values of another type: numbers instead of text, text instead of numbers, `"true"`, null': [
    'test/features/import-export/entrances.test.ts',
    'takes and refuses the same strategies as every other entrance',
  ],
  'an import with a flag that cannot be stored': [
    'test/features/import-export/features-batch-import-refused.test.ts',
    'and nothing is imported if no flag is left',
  ],
  'an import with a dependency on an archived flag': [
    'test/features/import-export/features-batch-import-refused.test.ts',
    'but a dependency on an archived flag is left out alone',
  ],
  '`IMPORT_FILE` that cannot be imported into a store that has content, for example because a segment is missing': [
    'test/products/server/import-file.test.ts',
    'that cannot be imported later does not stop the start: the flags stay, and the log says why',
  ],
  'a personal token that is created with a personal token': [
    'test/features/people/personal-tokens.test.ts',
    'create no token that outlives them, and end no session of their owner',
  ],
  'deleting a tag': [
    'test/features/flags/tags.test.ts',
    'are not deleted while more flags have them than one change can contain',
  ],
  'collaborators of a flag': [
    'test/features/flags/collaborators.test.ts',
    'are bounded, and stay the same object when the latest user changes the flag again',
  ],
  '`from` and `to` of `GET /api/admin/search/events`': [
    'test/features/events/event-search.test.ts',
    'by query parameters takes a first and a last time of any time zone, and includes both',
  ],
  'query parameters that only Burgee has, in operations of Unleash': [
    CHANGES,
    'is found by those who may approve it and have not, and not by its author',
  ],
  'deleting a segment that only archived flags use': [
    'test/features/segments/segments.test.ts',
    'are deleted only when no unarchived flag uses them; strategies of archived flags lose them and are disabled',
  ],
  'moving a flag to another project': [
    'test/features/flags/feature-move.test.ts',
    'bypasses no review in the old or the new project, and is refused while the flag has open change requests',
  ],
  'event `feature-project-change`': [
    'test/features/flags/feature-move.test.ts',
    'needs permissions in both projects, and does not reveal a private project',
  ],
  '`environment` in the context of `/api/frontend` and of OFREP': [
    'test/features/frontend/frontend.test.ts',
    'takes the environment from the token and never from the caller',
  ],
  '`avgHealthCurrentWindow`, `avgHealthPastWindow` of a dashboard': [
    'test/features/projects/personal-dashboard.test.ts',
    'reports the health of its flags',
  ],
  'ids of permissions': ['test/features/people/roles.test.ts', 'are unique, and are the ids that Unleash uses'],
  'an Editor changes context fields and segments in projects of others': [
    'test/access/may.test.ts',
    'include shared entities and the default project for an editor, but neither users nor roles',
  ],
  '`AUTH_TYPE=none`': [
    'test/features/tokens/token-scope.test.ts',
    'opens the client API, and nothing else, to callers without a token',
  ],
};

/** The first cells of the page's first table, in its order. */
export function rowsOfPage(): string[] {
  const [table = ''] = readFileSync(PAGE, 'utf8').split('\n## ');
  const lines = table.split('\n').filter((line) => line.startsWith('| '));
  return lines.slice(1).map((line) => (line.split('|')[1] ?? '').trim());
}
