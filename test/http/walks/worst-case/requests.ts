import { existsSync, readdirSync, statSync } from 'node:fs';
import { DEFAULT_LIMITS } from '../../../../src/features/modules.ts';
import { ISSUED_MAX } from '../../../../src/features/tokens/issue-tokens.ts';
import { largestAddon, noAddons, ownAddon } from './addons.ts';
import type { Api, Call } from './api.ts';
import { type ApiDocument, type Operation, resolved, type Schema } from './document.ts';
import {
  FIELD,
  FLAVOURS,
  flavoursInUse,
  LEGAL_FIELD,
  LEGAL_VALUE,
  SEGMENT_VALUES,
  STRATEGY_VALUES,
} from './expensive-constraints.ts';
import { takenOver } from './imported.ts';
import { LargestValue, OMIT, type Shape, type Vocabulary } from './largest-value.ts';
import {
  flagWithTemplate,
  guardedFlag,
  largestPlanBody,
  noTemplates,
  ownPlan,
  ownTemplate,
  ownTemplateOfProject,
  smallTemplate,
  smallTemplateOfProject,
} from './release-plans.ts';
import { scimGroup, scimMembers, scimToken, scimUser, scimWord } from './scim.ts';
import {
  bareEndpoint,
  fullEndpoint,
  largestActionSet,
  largestSignal,
  noEndpoints,
  ownActionSet,
  ownEndpoint,
  ownSource,
} from './signals.ts';
import { BODY_BYTES, strategiesPath, type World } from './world.ts';

/** Bodies of the import paths may be larger, but a longer body only repeats the same work. */
const IMPORT_BODY_BYTES = 8_000_000;
const IMPORTS = new Set(['importFeatures', 'validateImport', 'takeOver']);
const FORM_TYPE = 'application/x-www-form-urlencoded';
const BATCH = DEFAULT_LIMITS.batch;
const BATCH_HEAVY = 10;
const FLAGS_IN_REPORT = 500;
const TEXT_OF_4_KB = 'a'.repeat(4_096);
const admin = '/api/admin';
const flags = `${admin}/projects/default/features`;

/** As many scopes of tokens as one request may name. */
const manyScopes = ({ environment }: World) => ({
  tokens: Array.from({ length: ISSUED_MAX }, () => ({ environment, projects: ['default'] })),
});

const LARGEST_SEARCH_OF_MCP = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'search_flags', arguments: { limit: 50 } },
};

/** As many texts as a search accepts. */
const TEXTS_OF_NO_FLAG = Array.from({ length: 20 }, (_, index) => `${'a'.repeat(80)}${index}`).join(',');

/** One request that uses as much as an operation allows. */
export interface Attempt {
  readonly operationId: string;
  readonly shape: Shape;
  readonly call: Call;
}

/** Kinds of a single constraint: any caller that may read may have a constraint validated. */
const ALONE = ['ids', 'contains', 'long', 'cidr', 'classes'];

/** Operations without a body that are requested in more than one way: see `queryWord`. */
const ASKED_TWICE = new Set(['searchFeatures']);

/** Every way to make the operation's body large; for an operation without a body, its only request. */
export function shapesOf(operation: Operation, document: ApiDocument): Omit<Shape, 'attempt'>[] {
  const { operationId, bodies } = operation;
  const bytes = IMPORTS.has(operationId) ? IMPORT_BODY_BYTES : BODY_BYTES;
  const first = bodies[0];
  if (!first) {
    const modes = ASKED_TWICE.has(operationId) ? (['many', 'large'] as const) : (['many'] as const);
    return modes.map((mode) => ({ mode, flavour: '', bytes, scale: 1 }));
  }
  const text = JSON.stringify(expanded(first.schema, document));
  const hasConstraints = text.includes('"constraints"') || ['createChangeRequest', 'editChange'].includes(operationId);
  const flavours = operationId === 'validateConstraint' ? ALONE : hasConstraints ? flavoursInUse() : [''];
  return (['many', 'large'] as const).flatMap((mode) =>
    flavours.map((flavour) => ({ mode, flavour, bytes, scale: 1 })),
  );
}

function expanded(schema: Schema, document: ApiDocument, depth = 0): unknown {
  if (depth > 5) return {};
  const { properties = {}, items } = resolved(schema, document);
  const inner = Object.entries(properties).map(([name, each]) => [name, expanded(each, document, depth + 1)]);
  return { ...Object.fromEntries(inner), ...(items && { items: expanded(items, document, depth + 1) }) };
}

/** Creates what only this attempt needs: things to delete, to revive or to clone. Returns the values of path parameters. */
type Preparation = (api: Api, attempt: string, world: World) => Promise<Readonly<Record<string, string>>>;

const post = (api: Api, path: string, body: unknown = {}) => api.accepted({ method: 'POST', path, body });

const copyOfFlag: Preparation = async (api, attempt, { heavyFlags: [heavy] }) => {
  const featureName = `copy-${attempt}`;
  await post(api, `${flags}/${heavy}/clone`, { name: featureName });
  return { featureName };
};
/** The commit that created a copy of the heaviest flag. */
const commitOfCopy: Preparation = async (api, attempt, world) => {
  await copyOfFlag(api, attempt, world);
  const { entries } = (await api.accepted({ method: 'GET', path: `${admin}/history?limit=1` })) as {
    entries: { revision: number }[];
  };
  return { revision: String(entries[0]?.revision) };
};
const archivedFlag: Preparation = async (api, attempt, world) => {
  const { featureName = '' } = await copyOfFlag(api, attempt, world);
  await api.accepted({ method: 'DELETE', path: `${flags}/${featureName}` });
  return { featureName };
};
const child: Preparation = async (api, attempt, world) => {
  const { featureName = '' } = await copyOfFlag(api, attempt, world);
  const [parent = ''] = world.ordinaryFlags;
  await post(api, `${flags}/${featureName}/dependencies`, { feature: parent });
  return { child: featureName, parent };
};
const named =
  (path: string, parameter: string, more: object = {}): Preparation =>
  async (api, attempt) => {
    const name = `own-${attempt}`;
    await post(api, admin + path, { name, ...more });
    return { [parameter]: name };
  };
const strategy: Preparation = async (api, attempt, world) => {
  const { featureName = '' } = await copyOfFlag(api, attempt, world);
  const [first] =
    ((await api.accepted({ method: 'GET', path: strategiesPath(featureName) }).catch(() => [])) as { id: string }[]) ??
    [];
  if (first) return { featureName, strategyId: first.id };
  const added = (await post(api, strategiesPath(featureName), { name: 'default' })) as { id: string };
  return { featureName, strategyId: added.id };
};
const project: Preparation = async (api, attempt) => {
  const projectId = `own-${attempt}`;
  await post(api, `${admin}/projects`, { id: projectId, name: projectId });
  const features = Array.from({ length: 1_000 }, (_, index) => ({ name: `${projectId}-${index}` }));
  await post(api, `${admin}/features-batch/import`, {
    environment: 'development',
    project: projectId,
    data: { features, featureStrategies: [] },
  });
  for (let at = 0; at < features.length; at += 100) {
    await post(api, `${admin}/projects/${projectId}/archive`, {
      features: features.slice(at, at + 100).map(({ name }) => name),
    });
  }
  return { projectId };
};

const ownFlag: Preparation = async (api, attempt) => {
  await post(api, flags, { name: `own-${attempt}` });
  return { featureName: `own-${attempt}` };
};
/** A flag whose type code has declared. */
const declaredFlag: Preparation = async (api, attempt) => {
  const key = `own-${attempt}`;
  await post(api, '/openfeature/v0/manifest/flags', { key, ...DECLARED });
  return { key };
};
const DECLARED = { type: 'string', description: 'd'.repeat(1_000), defaultValue: 'v'.repeat(1_000) };
const ownStrategy: Preparation = async (api, attempt, world) => {
  const { featureName = '' } = await ownFlag(api, attempt, world);
  const { id } = (await post(api, strategiesPath(featureName), { name: 'default' })) as { id: string };
  return { featureName, strategyId: id };
};
/** A flag that has variants in its environments: other flags accept none there. */
const variantFlag: Preparation = async (api, attempt, world) => {
  const own = await ownFlag(api, attempt, world);
  const variants = [{ name: 'first', weight: 1000, weightType: 'variable', stickiness: 'default' }];
  await api.accepted({ method: 'PUT', path: `${flags}/${own.featureName}/variants`, body: variants });
  return own;
};
const linkedFlag: Preparation = async (api, attempt, world) => {
  const own = await ownFlag(api, attempt, world);
  await post(api, `${flags}/${own.featureName}/link`, { url: 'https://example.org' });
  const { links } = (await api.accepted({ method: 'GET', path: `${flags}/${own.featureName}` })) as {
    links: { id: string }[];
  };
  return { ...own, linkId: links[0]?.id ?? '' };
};
const tag: Preparation = async (api, attempt) => {
  const own = { type: 'simple', value: `own-${attempt}` };
  await post(api, `${admin}/tags`, own);
  return own;
};
const projectField: Preparation = async (api, attempt) => {
  const body = { name: `own-${attempt}`, legalValues: [{ value: LEGAL_VALUE(1) }] };
  await post(api, `${admin}/projects/default/context`, body);
  return { contextField: body.name };
};
/** A batch of a hundred flags: a few as expensive as the limits allow, the others small. */
const batch: Preparation = async (api, attempt, { heavyFlags: [heavy] }) => {
  const clones = Array.from({ length: BATCH_HEAVY }, (_, index) => `batch-${attempt}-heavy-${index}`);
  for (const name of clones) await post(api, `${flags}/${heavy}/clone`, { name });
  const features = Array.from({ length: BATCH - BATCH_HEAVY }, (_, index) => ({ name: `batch-${attempt}-${index}` }));
  await post(api, `${admin}/features-batch/import`, {
    environment: 'development',
    project: 'default',
    data: { features, featureStrategies: [] },
  });
  return { batch: [...clones, ...features.map(({ name }) => name)].join(',') };
};
const archivedBatch: Preparation = async (api, attempt, world) => {
  const own = await batch(api, attempt, world);
  await post(api, `${admin}/projects/default/archive`, { features: own.batch?.split(',') });
  return own;
};

/** Settings of an identity provider that is never called. */
const signOnSettings: Preparation = async (api) => {
  const [entityId, signOnUrl] = ['https://idp.example.com', 'https://idp.example.com/sign-on'];
  const certificate = 'TUlJ'.repeat(400);
  await post(api, `${admin}/auth/saml/settings`, { enabled: true, entityId, signOnUrl, certificate });
  return {};
};

/** The id of the role Member: granting and revoking it leaves no project without an owner. */
const MEMBER = '5';
const USERS = 20;

const person: Preparation = async (api, attempt) => {
  const username = `own-${attempt}`;
  const { id } = (await post(api, `${admin}/user-admin`, { username, rootRole: 3 })) as { id: number };
  return { id: String(id), username };
};
/** Users to add to groups and projects. */
const people: Preparation = async (api, attempt) => {
  const ids: string[] = [];
  for (let count = 0; count < USERS; count++) ids.push((await person(api, `${attempt}-${count}`, NO_WORLD)).id ?? '');
  return { users: ids.join(','), id: ids[0] ?? '', roleId: MEMBER };
};
const NO_WORLD = undefined as unknown as World;
const group: Preparation = async (api, attempt, world) => {
  const { users = '' } = await people(api, attempt, world);
  const members = users.split(',').map((id) => ({ user: { id: Number(id) } }));
  const body = { name: `own-${attempt}`, users: members };
  const { id } = (await post(api, `${admin}/groups`, body)) as { id: number };
  return { users, groupId: String(id), id: String(id), groups: String(id), roleId: MEMBER };
};
/** A user or group that has the role in the project, so that the role can be revoked. */
const holder =
  (plural: 'users' | 'groups', make: Preparation): Preparation =>
  async (api, attempt, world) => {
    const own = await make(api, attempt, world);
    await api.accepted({ method: 'POST', path: `${admin}/projects/default/${plural}/${own.id}/roles/${MEMBER}` });
    return own;
  };
const role: Preparation = async (api, attempt) => {
  const { roles } = (await post(api, `${admin}/roles`, { name: `own-${attempt}` })) as { roles: { id: number } };
  return { roleId: String(roles.id) };
};

const PASSWORD = 'Correct-Horse-9';
const personWithPassword: Preparation = async (api, attempt) => {
  const username = `own-${attempt}`;
  const { id } = (await post(api, `${admin}/user-admin`, { username, rootRole: 3, password: PASSWORD })) as {
    id: number;
  };
  return { id: String(id), username };
};
const resetLink: Preparation = async (api, attempt, world) => {
  const { id = '' } = await person(api, attempt, world);
  const answer = (await post(api, `${admin}/user-admin/reset-password`, { id: Number(id) })) as {
    resetPasswordUrl: string;
  };
  return { token: new URL(answer.resetPasswordUrl).searchParams.get('token') ?? '' };
};
const signupLink: Preparation = async (api, attempt) => {
  const body = { name: `own-${attempt}`, expiresAt: '2099-01-01T00:00:00.000Z' };
  const { secret } = (await post(api, `${admin}/invite-link/tokens`, body)) as { secret: string };
  return { token: secret };
};
const serviceAccount: Preparation = async (api, attempt) => {
  const body = { username: `own-${attempt}`, name: `own-${attempt}`, rootRole: 3 };
  const { id } = (await post(api, `${admin}/service-account`, body)) as { id: number };
  return { id: String(id) };
};
const serviceAccountToken: Preparation = async (api, attempt, world) => {
  const { id = '' } = await serviceAccount(api, attempt, world);
  const body = { description: 'own', expiresAt: '2099-01-01T00:00:00.000Z' };
  const { id: tokenId } = (await post(api, `${admin}/service-account/${id}/token`, body)) as { id: number };
  return { id, tokenId: String(tokenId) };
};

const requests = `${admin}/projects/default/change-requests`;
const REVIEWED = `${admin}/projects/default/environments/production/change-requests`;

/** An environment that requires change requests, in which the caller has no draft, and a flag to change there. */
const noDraft: Preparation = async (api, attempt, world) => {
  const body = { changeRequestsEnabled: true, requiredApprovals: 1 };
  await api.accepted({ method: 'PUT', path: `${REVIEWED}/config`, body });
  const own = (await api.accepted({ method: 'GET', path: `${requests}/open` })) as { id: number; state: string }[];
  for (const { id, state } of own) {
    if (state === 'Draft') await api.accepted({ method: 'DELETE', path: `${requests}/${id}` });
  }
  return { ...(await ownFlag(api, attempt, world)), environment: 'production' };
};
/** A draft of nearly the maximum size. */
const draftRequest: Preparation = async (api, attempt, world) => {
  const own = await noDraft(api, attempt, world);
  const { featureName: other = '' } = await ownFlag(api, `${attempt}-other`, world);
  const payload = { name: 'default', parameters: { text: 'é'.repeat(50_000) } };
  const wanted = [own.featureName, other].flatMap((feature) => [
    { feature, action: 'addStrategy', payload },
    { feature, action: 'addStrategy', payload },
  ]);
  // A large answer is truncated; the ids that are needed are near its beginning.
  const { status, text } = await api.send({ method: 'POST', path: REVIEWED, body: wanted });
  if (status !== 200) throw new Error(`the draft is refused: ${text.slice(0, 300)}`);
  const [, id = ''] = /"id":(\d+)/.exec(text) ?? [];
  const [, changeId = ''] = /"changes":\[\{"id":(\d+)/.exec(text) ?? [];
  return { ...own, id, changeId };
};
/** The maximum number of reviewers of one request. All of them may approve. */
const draftWithReviewers: Preparation = async (api, attempt, world) => {
  const reviewers: number[] = [];
  for (let count = 0; count < 10; count++) {
    const body = { username: `reviewer-${attempt}-${count}`, rootRole: 1, sendEmail: false };
    reviewers.push(((await post(api, `${admin}/user-admin`, body)) as { id: number }).id);
  }
  return { ...(await draftRequest(api, attempt, world)), reviewers: reviewers.join(',') };
};
/** What a playground tries: a change request, or a moment after which the heaviest flag was copied. */
const triedRequest: Preparation = async (api, attempt, world) => {
  const { id: changeRequest = '' } = await draftRequest(api, attempt, world);
  const { revision } = await commitOfCopy(api, `${attempt}-later`, world);
  return { changeRequest, moment: String(Number(revision) - 1) };
};
const banner: Preparation = async (api) => {
  const { id } = (await post(api, `${admin}/banners`, { message: 'own' })) as { id: number };
  return { id: String(id) };
};

/** An environment of one project, with a thousand flags that have strategies there. */
const environment: Preparation = async (api, attempt) => {
  const name = `own-${attempt}`;
  await post(api, `${admin}/environments`, { name, type: 'test' });
  await post(api, `${admin}/projects`, { id: name, name, environments: [name] });
  const features = Array.from({ length: 1_000 }, (_, index) => ({ name: `${name}-${index}` }));
  const parameters = { rollout: '50', stickiness: 'default', groupId: 'group' };
  const featureStrategies = features.flatMap((feature) =>
    Array.from({ length: 3 }, () => ({ name: 'flexibleRollout', featureName: feature.name, parameters })),
  );
  const data = { features, featureStrategies };
  await post(api, `${admin}/features-batch/import`, { environment: name, project: name, data });
  return { name };
};

/** Reports the use of all ordinary flags, and waits until the service knows their last use: that takes some seconds. */
const usedFlags: Preparation = async (api, _attempt, { ordinaryFlags }) => {
  const path = `${admin}/search/features?sortBy=lastSeenAt&sortOrder=desc&limit=1`;
  const areKnown = async () => {
    const { features } = (await api.accepted({ method: 'GET', path })) as { features: { lastSeenAt: unknown }[] };
    return features[0]?.lastSeenAt !== null;
  };
  if (await areKnown()) return {};
  const [start, stop] = [new Date(Date.now() - 1_000), new Date()];
  for (let at = 0; at < ordinaryFlags.length; at += FLAGS_IN_REPORT) {
    const used = ordinaryFlags.slice(at, at + FLAGS_IN_REPORT).map((name) => [name, { yes: 1, no: 0 }]);
    const bucket = { start, stop, toggles: Object.fromEntries(used) };
    await post(api, '/api/client/metrics', { appName: 'own', instanceId: 'own', bucket });
  }
  for (let count = 0; count < 100 && !(await areKnown()); count++) await new Promise((done) => setTimeout(done, 200));
  return {};
};

const application: Preparation = async (api, attempt) => {
  const appName = `own-${attempt}`;
  await post(api, `${admin}/metrics/applications/${appName}`);
  return { appName };
};

const CODE_PLACES = [1, 2, 3].map((line) => ({ path: 'src/shop/cart.ts', line }));

/** As many names and places as a repository may have. */
const codeRepository: Preparation = async (api, _attempt, { heavyFlags: [heavy = ''] }) => {
  const repository = 'own-names';
  const names = Array.from({ length: 4_999 }, (_, index) => `own-name-${index}`);
  const references = [heavy, ...names].map((flagName) => ({ flagName, places: CODE_PLACES }));
  await api.accepted({ method: 'PUT', path: `${admin}/code-repositories/${repository}`, body: { references } });
  return { repository };
};
/** Repositories that use the heaviest flag in as many places as the limits allow. */
const codeOfFlag: Preparation = async (api, _attempt, { heavyFlags: [heavy = ''] }) => {
  const places = Array.from({ length: 1_000 }, (_, index) => ({ path: `${'p'.repeat(490)}${index}`, line: index + 1 }));
  for (let count = 0; count < 10; count++) {
    const body = { references: [{ flagName: heavy, places }] };
    await api.accepted({ method: 'PUT', path: `${admin}/code-repositories/own-places-${count}`, body });
  }
  return {};
};

const CONSOLE_ASSETS = new URL('../../../../console/assets/', import.meta.url);

/** The largest file of the built console. */
const consoleAsset: Preparation = async () => {
  const names = existsSync(CONSOLE_ASSETS) ? readdirSync(CONSOLE_ASSETS) : [];
  const sizeOf = (name: string) => statSync(new URL(name, CONSOLE_ASSETS)).size;
  const [largest = 'missing'] = names.filter((name) => name.endsWith('.js')).sort((a, b) => sizeOf(b) - sizeOf(a));
  return { file: largest };
};

const PREPARATIONS: Readonly<Record<string, Preparation>> = {
  getConsoleAsset: consoleAsset,
  getCodeRepositories: codeRepository,
  getUnknownFlagsInCode: codeRepository,
  getFlagsWithoutCodeReferences: codeRepository,
  replaceCodeReferences: codeRepository,
  deleteCodeRepository: codeRepository,
  getCodeReferences: codeOfFlag,
  undoRevision: commitOfCopy,
  cloneEnvironment: environment,
  searchFeatures: usedFlags,
  takeOver: person,
  ...Object.fromEntries(
    [
      'getScimConfig',
      'getScimResourceTypes',
      'getScimSchemas',
      'searchScim',
      'searchScimUsers',
      'searchScimGroups',
      'getScimUsers',
      'getScimGroups',
      'createScimUser',
      'setScimSettings',
      'deleteScimUsers',
      'deleteScimToken',
    ].map((operationId) => [operationId, scimToken]),
  ),
  getScimResourceType: async (api) => ({ ...(await scimToken(api)), id: 'User' }),
  getScimSchema: async (api) => ({ ...(await scimToken(api)), id: 'urn:ietf:params:scim:schemas:core:2.0:User' }),
  getScimUser: scimUser,
  replaceScimUser: scimUser,
  patchScimUser: scimUser,
  deleteScimUser: scimUser,
  createScimGroup: scimMembers,
  getScimGroup: scimGroup,
  replaceScimGroup: scimGroup,
  patchScimGroup: scimGroup,
  deleteScimGroup: scimGroup,
  createAddon: noAddons,
  getAddon: ownAddon,
  updateAddon: ownAddon,
  deleteAddon: ownAddon,
  getAddonEvents: ownAddon,
  createSignalEndpoint: noEndpoints,
  getSignalEndpoint: ownEndpoint,
  updateSignalEndpoint: ownEndpoint,
  toggleSignalEndpointOn: ownEndpoint,
  toggleSignalEndpointOff: ownEndpoint,
  deleteSignalEndpoint: ownEndpoint,
  getSignalEndpointSignals: ownEndpoint,
  createSignalEndpointToken: bareEndpoint,
  updateSignalEndpointToken: ownEndpoint,
  deleteSignalEndpointToken: ownEndpoint,
  sendSignal: fullEndpoint,
  createActionSet: ownSource,
  getActionSet: ownActionSet,
  updateActionSet: ownActionSet,
  toggleActionSetOn: ownActionSet,
  toggleActionSetOff: ownActionSet,
  deleteActionSet: ownActionSet,
  getActionSetEvents: ownActionSet,
  createReleasePlanTemplate: noTemplates,
  getReleasePlanTemplates: ownTemplate,
  getReleasePlanTemplate: ownTemplate,
  updateReleasePlanTemplate: ownTemplate,
  deleteReleasePlanTemplate: ownTemplate,
  archiveReleasePlanTemplate: ownTemplate,
  addMilestoneToReleasePlanTemplate: smallTemplate,
  updateReleasePlanTemplateMilestone: smallTemplate,
  removeReleasePlanTemplateMilestone: ownTemplate,
  addStrategyToMilestone: smallTemplate,
  updateMilestoneStrategy: smallTemplate,
  removeMilestoneStrategy: ownTemplate,
  createReleasePlanTemplateOfProject: noTemplates,
  ...Object.fromEntries(
    [
      'getReleasePlanTemplatesOfProject',
      'getReleasePlanTemplateOfProject',
      'updateReleasePlanTemplateOfProject',
      'deleteReleasePlanTemplateOfProject',
      'archiveReleasePlanTemplateOfProject',
      'removeReleasePlanTemplateMilestoneOfProject',
      'removeMilestoneStrategyOfProject',
    ].map((operationId) => [operationId, ownTemplateOfProject]),
  ),
  ...Object.fromEntries(
    [
      'addMilestoneToReleasePlanTemplateOfProject',
      'updateReleasePlanTemplateMilestoneOfProject',
      'addStrategyToMilestoneOfProject',
      'updateMilestoneStrategyOfProject',
    ].map((operationId) => [operationId, smallTemplateOfProject]),
  ),
  changeFeatureEnvironmentSafeguard: guardedFlag,
  deleteFeatureEnvironmentSafeguard: guardedFlag,
  getFeatureEnvironmentSafeguards: guardedFlag,
  ...Object.fromEntries(
    ['updateManifestFlag', 'updateProjectManifestFlag', 'archiveManifestFlag', 'archiveProjectManifestFlag'].map(
      (operationId) => [operationId, declaredFlag],
    ),
  ),
  addReleasePlan: flagWithTemplate,
  addReleasePlanDeprecated: flagWithTemplate,
  ...Object.fromEntries(
    [
      'getReleasePlans',
      'removeReleasePlan',
      'startMilestone',
      'getReleasePlansDeprecated',
      'removeReleasePlanDeprecated',
      'startMilestoneDeprecated',
      'pauseReleasePlan',
      'resumeReleasePlan',
      'changeMilestoneProgression',
      'deleteMilestoneProgression',
      'updateProjectMilestoneStrategy',
      'changeSafeguard',
      'deleteSafeguard',
    ].map((operationId) => [operationId, ownPlan]),
  ),
  updateBanner: banner,
  deleteBanner: banner,
  toggleBannerOn: banner,
  toggleBannerOff: banner,
  updateFeatureTypeLifetime: async () => ({ id: 'release' }),
  login: personWithPassword,
  changeUserPassword: person,
  resetUserPassword: person,
  validateToken: resetLink,
  changePasswordByLink: resetLink,
  getPublicSignupToken: signupLink,
  updatePublicSignupToken: signupLink,
  validatePublicSignupToken: signupLink,
  addPublicSignupTokenUser: signupLink,
  updateServiceAccount: serviceAccount,
  deleteServiceAccount: serviceAccount,
  getServiceAccountTokens: serviceAccount,
  createServiceAccountToken: serviceAccount,
  deleteServiceAccountToken: serviceAccountToken,
  getUser: person,
  updateUser: person,
  deleteUser: person,
  getUserIdentities: person,
  deleteUserIdentities: person,
  getRoleById: role,
  updateRole: role,
  deleteRole: role,
  createGroup: people,
  getGroup: group,
  updateGroup: group,
  deleteGroup: group,
  setProjectAccess: group,
  addAccessToProject: group,
  addRoleAccessToProject: group,
  setRolesForProjectUser: people,
  removeAccessOfProjectUser: people,
  setRolesForProjectGroup: group,
  removeAccessOfProjectGroup: group,
  createChangeRequest: noDraft,
  getPlayground: triedRequest,
  getAdvancedPlayground: triedRequest,
  getChangeRequest: draftRequest,
  discardChangeRequest: draftRequest,
  changeChangeRequestState: draftRequest,
  updateChangeRequestTitle: draftRequest,
  addChangeRequestComment: draftRequest,
  getChangeRequestApprovers: draftRequest,
  addChangeRequestReviewers: draftWithReviewers,
  editChange: draftRequest,
  discardChange: draftRequest,
  getPendingChangeRequestsForUser: draftRequest,
  getPendingChangeRequestsForFeature: draftRequest,
  addRoleToProjectUser: people,
  changeRoleOfProjectUser: people,
  removeRoleOfProjectUser: holder('users', people),
  addRoleToProjectGroup: group,
  changeRoleOfProjectGroup: group,
  removeRoleOfProjectGroup: holder('groups', group),
  addFeatureDependency: async (...all) => ({ child: (await copyOfFlag(...all)).featureName ?? '' }),
  deleteFeatureDependency: child,
  deleteFeatureDependencies: child,
  archiveFeature: copyOfFlag,
  reviveFeature: archivedFlag,
  deleteFeature: archivedFlag,
  addFeatureStrategy: ownFlag,
  patchEnvironmentsFeatureVariants: variantFlag,
  overwriteEnvironmentFeatureVariants: variantFlag,
  overwriteFeatureVariantsOnEnvironments: variantFlag,
  getParentVariants: async (_api, _attempt, { heavyFlags: [heavy = ''] }) => ({ parent: heavy }),
  changeProject: async (api, attempt, world) => {
    // Not a copy of the heavy flag: with a copy in another project, its segments could no longer be restricted to one project, as other operations request.
    const { featureName = '' } = await ownFlag(api, attempt, world);
    const newProjectId = `own-${attempt}`;
    await post(api, `${admin}/projects`, { id: newProjectId, name: newProjectId });
    return { featureName, newProjectId };
  },
  addFeatureLink: ownFlag,
  updateFeatureLink: linkedFlag,
  deleteFeatureLink: linkedFlag,
  getTag: tag,
  deleteTag: tag,
  addTagToFeatures: batch,
  updateFeatureStrategySegments: ownStrategy,
  getProjectContextField: projectField,
  updateProjectContextField: projectField,
  deleteProjectContextField: projectField,
  updateProjectContextFieldLegalValue: projectField,
  deleteProjectContextFieldLegalValue: projectField,
  updateTags: ownFlag,
  addTag: ownFlag,
  deleteFeatureStrategy: strategy,
  updateFeatureStrategy: ownStrategy,
  patchFeatureStrategy: ownStrategy,
  complete: ownFlag,
  uncomplete: async (api, attempt, world) => {
    const own = await ownFlag(api, attempt, world);
    await post(api, `${flags}/${own.featureName}/lifecycle/complete`, { status: 'kept' });
    return own;
  },
  getApplication: application,
  getApplicationOverview: application,
  getApplicationEnvironmentInstances: application,
  createApplication: application,
  deleteApplication: application,
  getStrategy: named('/strategies', 'name', { parameters: [] }),
  updateStrategy: named('/strategies', 'name', { parameters: [] }),
  removeStrategy: named('/strategies', 'name', { parameters: [] }),
  deprecateStrategy: named('/strategies', 'name', { parameters: [] }),
  reactivateStrategy: named('/strategies', 'name', { parameters: [] }),
  updateEnvironment: named('/environments', 'name', { type: 'test' }),
  toggleEnvironmentOn: named('/environments', 'name', { type: 'test' }),
  toggleEnvironmentOff: named('/environments', 'name', { type: 'test' }),
  removeEnvironment: named('/environments', 'name', { type: 'test' }),
  addEnvironmentToProject: named('/environments', 'environment', { type: 'test' }),
  removeEnvironmentFromProject: async (...all) => {
    const { environment = '' } = await named('/environments', 'environment', { type: 'test' })(...all);
    await post(all[0], `${admin}/projects/default/environments`, { environment });
    return { environment };
  },
  updateTagType: named('/tag-types', 'name'),
  deleteTagType: named('/tag-types', 'name'),
  deleteContextField: named('/context', 'contextField'),
  updateContextField: named('/context', 'contextField'),
  deleteProject: project,
  archiveProject: project,
  reviveProject: async (api, attempt, world) => {
    const { projectId = '' } = await project(api, attempt, world);
    await api.accepted({ method: 'POST', path: `${admin}/projects/archive/${projectId}` });
    return { projectId };
  },
  removeSegment: async (api, attempt) => {
    const { id } = (await post(api, `${admin}/segments`, { name: `own-${attempt}`, constraints: [] })) as {
      id: number;
    };
    return { id: String(id) };
  },
  removeTag: async (api, attempt, world) => {
    const { featureName = '' } = await copyOfFlag(api, attempt, world);
    await post(api, `${admin}/features/${featureName}/tags`, { type: 'simple', value: 'gone' });
    return { featureName, type: 'simple', value: 'gone' };
  },
  staleFeatures: batch,
  archiveFeatures: batch,
  validateArchiveFeatures: batch,
  bulkToggleFeaturesEnvironmentOn: batch,
  bulkToggleFeaturesEnvironmentOff: batch,
  reviveFeatures: archivedBatch,
  deleteFeatures: archivedBatch,
  streamCommits: async (api, attempt, world) => {
    // Differences of flags are known only since a stream or a reader of the index asked for them.
    await api.follow(`${admin}/changes?flags=details`);
    const { revision } = await commitOfCopy(api, attempt, world);
    return { since: String(Number(revision) - 1) };
  },
  samlLogin: signOnSettings,
  samlCallback: signOnSettings,
  samlMetadata: signOnSettings,
  setFrontendStreamContext: async (api) => {
    const event = await api.follow('/api/frontend/streaming?userId=own');
    return { connection: /"connection":"([^"]+)"/.exec(event)?.[1] ?? '' };
  },
  deleteProjectApiToken: async (api, attempt) => ownToken(api, attempt, 'default'),
  updateApiToken: async (api, attempt) => ownToken(api, attempt),
  deleteApiToken: async (api, attempt) => ownToken(api, attempt),
};

async function ownToken(api: Api, attempt: string, project = '*'): Promise<Readonly<Record<string, string>>> {
  const body = { type: 'client', tokenName: `own-${attempt}`, environment: 'development', projects: [project] };
  const { secret } = (await post(api, `${admin}/api-tokens`, body)) as { secret: string };
  return { token: secret };
}

/** Prepares everything that one attempt needs, and returns its request. */
export async function attemptOf(
  operation: Operation,
  shape: Shape,
  { api, world, document }: { readonly api: Api; readonly world: World; readonly document: ApiDocument },
): Promise<Attempt> {
  const { operationId, method, bodies, query } = operation;
  const own = (await PREPARATIONS[operationId]?.(api, shape.attempt, world)) ?? {};
  const parameters: Readonly<Record<string, string>> = { ...pathWords(operation, world), ...own };
  const path = operation.path.replace(/\{(\w+)\}/g, (_match, name: string) =>
    encodeURIComponent(parameters[name] ?? 'missing'),
  );
  const search = new URLSearchParams(query.flatMap(({ name }) => queryWord(operationId, name, own, shape)));
  const [first] = bodies;
  const body = first && new LargestValue(document, vocabularyOf(operationId, world, own), shape).of(first.schema);
  const call: Call = {
    method,
    path: search.size > 0 ? `${path}?${search}` : path,
    ...(body !== undefined && { body }),
    ...(operationId === 'sendSignal' && { headers: { authorization: `Bearer ${own.token}` } }),
    ...(body !== undefined && first?.contentType === FORM_TYPE && formOf(body as Readonly<Record<string, string>>)),
  };
  return { operationId, shape, call };
}

/** The body of a form, as a browser sends it. */
function formOf(fields: Readonly<Record<string, string>>): Pick<Call, 'body' | 'contentType'> {
  return { body: new URLSearchParams(fields).toString(), contentType: FORM_TYPE };
}

function pathWords({ operationId, path }: Operation, world: World): Readonly<Record<string, string>> {
  const [heavy = ''] = world.heavyFlags;
  const [strategyId = ''] = world.strategyIds;
  const name = path.includes('/environments') ? 'development' : path.includes('/tag-types') ? 'simple' : 'default';
  return {
    projectId: world.project,
    featureName: heavy,
    child: heavy,
    parent: world.ordinaryFlags[0] ?? '',
    environment: world.environment,
    strategyId,
    revision: 'latest',
    id: String(world.segmentIds[operationId === 'getSegment' ? 1 : 0]),
    contextField: LEGAL_FIELD,
    legalValue: LEGAL_VALUE(1),
    token: 'init-admin-1',
    type: 'simple',
    value: 'some',
    name,
  };
}

/** Query parameters; those that reach the context get a long text. */
function queryWord(
  operationId: string,
  name: string,
  own: Readonly<Record<string, string>>,
  { mode }: Shape,
): [string, string][] {
  if (name === 'token') return [[name, own.token ?? '']];
  if (operationId === 'searchFeatures') return searchWord(name, mode);
  // The whole list is larger than any page of it.
  if (operationId === 'getFeatures') return [];
  if (operationId === 'getFlagIndex')
    return name === 'fields' ? [[name, mode === 'large' ? 'details' : 'fingerprints']] : [];
  if (operationId === 'streamCommits') return [[name, name === 'since' ? (own.since ?? '') : 'details']];
  if (name === 'limit') return [[name, '100']];
  // Everything differs from now.
  if (name === 'from' && operationId === 'getHistoryDifference') return [[name, BEFORE_ALL]];
  if (name === 'at' && isPlayground(operationId)) return mode === 'many' ? [[name, own.moment ?? '']] : [];
  if (name === 'at' && mode === 'large') return [[name, BEFORE_ALL]];
  if (['project', 'feature', 'environment', 'segment'].includes(name) && operationId === 'getHistoryDifference')
    return [];
  if (name === 'q') return [[name, 'own']];
  // Every event contains an e.
  if (name === 'query') return [[name, 'e']];
  if (name === 'sortBy') return [[name, operationId === 'getApplications' ? 'appName' : 'name']];
  if (operationId === 'searchEventsByQuery' && name === 'project') return [[name, 'IS:default']];
  if (name === 'projectId' || name === 'project') return [[name, 'default']];
  if (name === 'userId') return [[name, TEXT_OF_4_KB]];
  if (name === 'sessionId') return [[`properties[${FIELD}]`, TEXT_OF_4_KB]];
  return [];
}

const isPlayground = (operationId: string) => /Playground$/.test(operationId);

/** A time before the first commit. */
const BEFORE_ALL = '2020-01-01';

/** Finds all flags of all projects and counts all facets, as the largest page; or finds none, after searching all of them for texts. */
function searchWord(name: string, mode: Shape['mode']): [string, string][] {
  const words: Readonly<Record<string, string>> =
    mode === 'large'
      ? { sortBy: 'name', query: TEXTS_OF_NO_FLAG }
      : {
          sortBy: 'lastSeenAt',
          limit: '1000',
          fields: 'environments,segments,tags,lifecycle,createdBy,description',
          facets: 'project,type,state,tag,segment,createdBy,lifecycle,status,favorite',
        };
  const word = words[name];
  return word === undefined ? [] : [[name, word]];
}

const OF_API_TOKENS = /^create(Project)?ApiToken$/;

const OF_PEOPLE =
  /^login$|Password|ByLink$|ServiceAccount|PublicSignup|User$|Users$|Role$|Group$|ProjectAccess$|AccessToProject$/;

const REPORTS = /^register(Client|(All)?(Frontend|Proxy))|BulkMetrics$/;

/** Values of SDK reports: valid times, counts, and names of the maximum length. */
function reportWord(path: readonly string[], { mode, attempt }: Shape): unknown {
  const last = path.at(-1) ?? '';
  if (last === 'appName') return mode === 'large' ? `${attempt}-${'a'.repeat(200)}` : `own-${attempt}`;
  if (['start', 'stop', 'timestamp'].includes(last)) return Date.now();
  if (path[0] === 'impactMetrics' && last === 'name') return `measured_${attempt}`;
  if (path[0] === 'impactMetrics' && last === 'type') return 'histogram';
  if (['environment', 'started', 'interval'].includes(last)) return OMIT;
  if (last === 'strategies' && path.length > 1) return OMIT;
  if (last === '[]' && path.at(-2) === 'strategies') return mode === 'large' ? 'a'.repeat(900) : 'a';
  return undefined;
}

/** Names and ids of users, groups and roles. */
function peopleWord(
  operationId: string,
  path: readonly string[],
  at: number,
  { attempt }: Shape,
  own: Readonly<Record<string, string>>,
): unknown {
  const [last = '', before = ''] = [path.at(-1), path.at(-2)];
  const listed = (ids: string | undefined) => (ids?.split(',')[at] === undefined ? null : Number(ids.split(',')[at]));
  if (last === 'rootRole') return 3;
  if (last === 'email') return `new-${attempt}@example.org`;
  if (last === 'username') return own.username ?? `new-${attempt}`;
  if (last === 'token') return own.token;
  if (last === 'disabled') return false;
  if (last === 'enabled') return true;
  if (last === 'id' && path.length === 1) return Number(own.id);
  if (last === 'expiresAt') return '2099-01-01T00:00:00.000Z';
  if (last === 'password' || last === 'confirmPassword') return PASSWORD;
  if (last === 'sendEmail') return false;
  if (before === '[]' && path.at(-3) === 'permissions')
    return last === 'name' ? 'UPDATE_FEATURE_ENVIRONMENT' : 'development';
  if (last === 'type') return 'custom';
  if (last === 'name' && path.length === 1 && !/User$/.test(operationId)) return `new-${attempt}`;
  if (['users', 'groups'].includes(before) && last === '[]') {
    // An object is built from its properties, until every user or group is used.
    const ids = before === 'users' ? own.users : own.groups;
    const isObject = /^(create|update)Group$|^addRoleAccess/.test(operationId);
    return isObject && listed(ids) !== null ? undefined : listed(ids);
  }
  if (last === 'id' && path.includes('users')) return listed(own.users);
  if (last === 'id' && path.includes('groups')) return listed(own.groups);
  if (before === 'roles' && last === '[]')
    return at > 0 ? null : operationId === 'setProjectAccess' ? undefined : Number(MEMBER);
  if (last === 'id' && path.includes('roles')) return Number(MEMBER);
  return undefined;
}

/** A context that a stream accepts. */
function streamWord(last: string, { connection }: Readonly<Record<string, string>>): unknown {
  if (last === 'connection') return connection;
  if (last === 'sessionId') return 'a';
  return last === 'properties' ? { [FIELD]: TEXT_OF_4_KB } : undefined;
}

const OF_REQUESTS = /ChangeRequest|^editChange$/;

/** Values of change requests: strategies with expensive constraints. */
function requestWord(last: string, { flavour, scale }: Shape, bytes: number, own: Readonly<Record<string, string>>) {
  if (last === 'state') return 'In review';
  // Left out: a generated text is no valid version.
  if (last === 'changesVersion') return OMIT;
  if (last === 'reviewers') return own.reviewers?.split(',').map(Number);
  if (last === 'action') return 'addStrategy';
  if (last === 'feature') return own.featureName;
  if (last !== 'payload') return undefined;
  const parameters = { rollout: '100', stickiness: FIELD, groupId: 'group' };
  return { name: 'flexibleRollout', parameters, constraints: FLAVOURS[flavour]?.(bytes, scale, STRATEGY_VALUES) ?? [] };
}

/** Values of settings, banners and environments. Maintenance stays off: with it, the service would refuse all later changes. */
function pageWord(operationId: string, last: string, before: string, at: number, { attempt, mode }: Shape): unknown {
  if (operationId === 'toggleMaintenance') return last === 'enabled' ? false : undefined;
  if (before === 'frontendApiOrigins' && last === '[]') return `https://${'a'.repeat(60)}.${attempt}-${at}.example.com`;
  if (/Banner$/.test(operationId) && last === 'link') return `https://example.com/${'a'.repeat(900)}`;
  if (operationId === 'replaceCodeReferences' && last === 'link') return `https://example.com/${'a'.repeat(900)}`;
  if (operationId === 'replaceCodeReferences' && last === 'places' && mode === 'many') return CODE_PLACES;
  // An empty list means all projects.
  if (operationId === 'cloneEnvironment' && last === 'projects') return [];
  if (operationId === 'cloneEnvironment' && last === 'name') return `clone-${attempt}`;
  if (operationId === 'cloneEnvironment' && last === 'type') return 'test';
  return undefined;
}

/** Values that a schema does not define: names that exist, names that must be new, and texts that reach the expensive constraints. */
function vocabularyOf(operationId: string, world: World, own: Readonly<Record<string, string>>): Vocabulary {
  const strategyNamed =
    /Strateg(y|ies)(ToProjectEnvironment)?$/.test(operationId) &&
    !['createStrategy', 'updateStrategy'].includes(operationId);
  const batch = own.batch?.split(',') ?? [];
  const values = /segment/i.test(operationId) ? SEGMENT_VALUES : STRATEGY_VALUES;
  return (path, at, shape, bytes) => {
    const [last = '', before = ''] = [path.at(-1), path.at(-2)];
    const ofRequest = OF_REQUESTS.test(operationId) ? requestWord(last, shape, bytes, own) : undefined;
    if (ofRequest !== undefined) return ofRequest;
    const ofPeople = OF_PEOPLE.test(operationId) ? peopleWord(operationId, path, at, shape, own) : undefined;
    if (ofPeople !== undefined) return ofPeople;
    const ofStreams = operationId === 'setFrontendStreamContext' ? streamWord(last, own) : undefined;
    if (ofStreams !== undefined) return ofStreams;
    if (/scim/i.test(operationId)) {
      const ofScim = scimWord(operationId, path, shape, own);
      if (ofScim !== undefined) return ofScim;
      if (last === 'filter') return OMIT;
    }
    if (/^(create|update)Addon$/.test(operationId) && path.length === 0) return largestAddon(world, shape);
    if (/^(create|update)ActionSet$/.test(operationId) && path.length === 0)
      return largestActionSet(world, shape.mode, own);
    if (/^(create|update)(Project)?ManifestFlag$/.test(operationId) && path.length === 0)
      return { key: own.key ?? `made-${shape.attempt}`, ...DECLARED };
    const ofPlans = path.length === 0 ? largestPlanBody(operationId, shape, own) : undefined;
    if (ofPlans !== undefined) return ofPlans;
    if (operationId === 'sendSignal' && path.length === 0) return largestSignal(shape);
    if (/^(create|update)SignalEndpoint(Token)?$/.test(operationId) && last === 'name') return own.name ?? 'own';
    if (operationId === 'takeOver') return takenOver(world, shape, own.username ?? '');
    // Matches every event, or none: all of them are searched.
    if (operationId === 'searchEvents' && path.length === 0)
      return { query: shape.mode === 'many' ? 'e' : 'in no event' };
    // Other operations change flags in the environment afterwards, without a reason.
    if (last === 'requireReason') return false;
    if (operationId === 'undoRevision' && path.length === 0) return {};
    if (operationId === 'previewChanges' && path.length === 0) return previewOf(world, shape);
    if (operationId === 'issueEdgeTokens' && path.length === 0) return manyScopes(world);
    if (operationId === 'callMcp' && path.length === 0) return LARGEST_SEARCH_OF_MCP;
    if (operationId === 'reportPresence' && path.length === 0)
      return { type: 'feature', id: world.heavyFlags[0] ?? '', mode: 'editing' };
    if (operationId === 'copyFeatureEnvironment' && path.length === 0)
      return { targets: world.environments.filter((name) => name !== world.environment) };
    // A playground takes a change request, which may be larger than an undo or than changes with their project and environment, or a moment.
    if (isPlayground(operationId) && path.length === 1) {
      if (['changes', 'features', 'project', 'undo'].includes(last)) return OMIT;
      if (last === 'environment' && operationId === 'getAdvancedPlayground') return OMIT;
      if (last === 'changeRequest' && shape.mode === 'many') return OMIT;
    }
    if (last === 'changeRequest') return Number(own.changeRequest);
    const ofPages = pageWord(operationId, last, before, at, shape);
    if (ofPages !== undefined) return ofPages;
    if (REPORTS.test(operationId)) return reportWord(path, shape);
    if (last === 'archived') return false;
    if (operationId === 'updateFeature' && last === 'name') return OMIT;
    if (last === 'featureLimit') return null;
    // A pattern that matches every name: other operations create flags there afterwards.
    if (before === 'featureNaming' && last !== 'description') return last === 'pattern' ? '.{1,100}' : 'abc';
    if (last === 'urlTemplate') return `https://example.org/${'a'.repeat(900)}/{{feature}}`;
    if (OF_API_TOKENS.test(operationId) && ['project', 'username'].includes(last)) return OMIT;
    if (last === 'segments' && path.includes('data')) return OMIT;
    if (/^update(Project)?ContextFieldLegalValue$/.test(operationId) && last === 'value') return LEGAL_VALUE(2);
    if (operationId === 'validateConstraint' && path.length === 0)
      return (FLAVOURS[shape.flavour]?.(bytes, shape.scale, values) as unknown[] | undefined)?.[0];
    if (operationId === 'createTag' && last === 'value') return `new-${shape.attempt}`;
    if (last === 'url') return 'https://example.org';
    if (last === 'newProjectId') return own.newProjectId;
    if (last === 'environmentId') return world.environment;
    if (last === 'strategyId') return own.strategyId;
    if (before === 'segmentIds') return world.segmentIds[at] ?? null;
    if (operationId === 'setStrategySortOrder' && last === 'id') return world.strategyIds[at] ?? null;
    if (last === 'constraints') return FLAVOURS[shape.flavour]?.(bytes, shape.scale, values) ?? [];
    if (/patch/i.test(operationId)) return patched(operationId, path, shape);
    if (last === 'environment' && before !== 'context') return own.environment ?? world.environment;
    if (before === 'environments' || last === 'environments')
      return last === '[]' ? (world.environments[at] ?? null) : undefined;
    if (before === 'projects' && last === '[]')
      return at > 0 ? null : operationId === 'createProjectApiToken' ? world.project : '*';
    if (['project', 'projectId'].includes(last)) return world.project;
    if (before === 'features' && last === '[]' && path.length === 2)
      return batch[at] ?? world.ordinaryFlags[at] ?? null;
    if (last === 'featureName') return `import-${shape.attempt}-${at}`;
    if (last === 'feature') return path.includes('data') ? `import-${shape.attempt}-0` : world.ordinaryFlags[0];
    if (last === 'name' && path.at(-3) === 'features') return `import-${shape.attempt}-${at}`;
    if (last === 'name' && path.length === 1 && strategyNamed) return 'flexibleRollout';
    if (last === 'name' && path.includes('featureStrategies') && !path.includes('variants')) return 'flexibleRollout';
    if (last === 'groupId') return 'group';
    if (before === 'segments' && last === '[]') return world.segmentIds[at] ?? null;
    if (last === 'type' && OF_API_TOKENS.test(operationId)) return 'client';
    if (last === 'type' && /tag/i.test(operationId + before + path.at(-3))) return 'simple';
    if (last === 'type' && operationId === 'createEnvironment') return 'test';
    if (last === 'weight') return at === 0 ? 1 : 0;
    if (last === 'weightType') return 'variable';
    if (last === 'stickiness' && !/ContextField$/.test(operationId)) return FIELD;
    if (last === 'rollout') return '100';
    if (before === 'context' && ['currentTime', 'remoteAddress'].includes(last))
      return last === 'currentTime' ? '2027-01-01T00:00:00Z' : '10.1.2.3';
    if (before === 'properties' && last === '*' && shape.mode === 'large') return 'a'.repeat(4_096);
    if (['appName', 'userId', 'sessionId'].includes(last)) return shape.mode === 'large' ? 'a'.repeat(4_096) : 'a';
    return undefined;
  };
}

/** The most expensive flag, for as many contexts as a preview accepts. */
function previewOf({ project, environment, heavyFlags: [feature = ''] }: World, { scale }: Shape): object {
  const count = Math.max(1, Math.round(10_000 * scale));
  const changes = [{ action: 'updateEnabled', feature, payload: { enabled: true } }];
  return { project, environment, changes, contexts: { madeUp: { count } }, examples: 20 };
}

/** A JSON Patch of the maximum length, on properties that a patch may change. */
function patched(operationId: string, path: readonly string[], { bytes, mode, attempt }: Shape): unknown {
  if (path.length !== 0) return undefined;
  const count = mode === 'many' ? 500 : 90;
  const text = 'é'.repeat(Math.max(1, Math.min(10_000, Math.floor(bytes / count / 2.2) - 60)));
  return Array.from({ length: count }, (_, index) => {
    if (operationId === 'patchFeature') return { op: 'replace', path: '/description', value: text };
    if (operationId === 'patchFeatureStrategy')
      return { op: 'replace', path: '/parameters', value: { rollout: '50', stickiness: FIELD, groupId: text } };
    return {
      op: 'add',
      path: '/-',
      value: { name: `${attempt}-${index}`, weight: 1, weightType: 'variable', stickiness: FIELD },
    };
  });
}
