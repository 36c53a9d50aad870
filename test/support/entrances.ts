import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { Rejection } from '../../src/base/rejection.ts';
import type { ImportInput } from '../../src/features/import-export/import-input.ts';
import { systemCaller } from '../../src/model/caller.ts';
import { ROLE_ID } from '../../src/model/role.ts';
import { readStartChanges } from '../../src/products/server/start-changes.ts';
import { callTool, overHttp } from '../features/mcp/clients.ts';
import { migrateFiles, savedIn } from '../products/migrate/run-migrate.ts';
import type { StrategyInput } from './odd-inputs.ts';
import { personalTokenOf, putUser } from './people.ts';
import { ADMIN_TOKEN, type TestService } from './service.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests read any field of answers
type Any = any;

/** The flag that got the strategy of an input, or undefined if the entrance refused the input. */
export type Entered = ReadonlyMap<StrategyInput, string | undefined>;

/** Sends all inputs through one entrance of a service, each for a flag of its own, which is on in `development`. */
type Entrance = (service: TestService, inputs: readonly StrategyInput[]) => Promise<Entered>;

const DEVELOPMENT = { projectId: 'default', environment: 'development' };

async function newFlag(service: TestService, name: string): Promise<string> {
  await service.call('createFeature', { params: { projectId: 'default' }, body: { name } });
  return name;
}

/** Calls the operation. False if the input is refused. */
async function isAccepted(service: TestService, operationId: string, params: object, body?: unknown): Promise<boolean> {
  const answer = await service.call(operationId, { params: { ...DEVELOPMENT, ...params }, body });
  expect([200, 201, 204, 400], `${operationId}: ${answer.text}`).toContain(answer.status);
  return answer.status < 300;
}

/** An entrance that takes one strategy at a time: `enter` brings it into the flag, or into another flag whose name it returns. */
const oneByOne =
  (prefix: string, enter: (service: TestService, flag: string, sent: Any) => Promise<boolean | string>): Entrance =>
  async (service, inputs) => {
    const entered = new Map<StrategyInput, string | undefined>();
    for (const [index, input] of inputs.entries()) {
      const name = await newFlag(service, `${prefix}-${index}`);
      const outcome = await enter(service, name, input.sent);
      const flag = outcome === true ? name : outcome || undefined;
      entered.set(input, flag);
      if (flag !== undefined) await isAccepted(service, 'toggleFeatureEnvironmentOn', { featureName: flag });
    }
    return entered;
  };

const add = (service: TestService, featureName: string, sent: Any) =>
  isAccepted(service, 'addFeatureStrategy', { featureName }, sent);

/** A complete strategy of the sent type. An update then replaces its parts. */
const begun = ({ name }: Any) => ({ name: name === 'nobody-knows' ? 'default' : name });

async function addedStrategy(service: TestService, featureName: string, sent: Any): Promise<string> {
  const params = { ...DEVELOPMENT, featureName };
  return (await service.call('addFeatureStrategy', { params, body: begun(sent) })).body.id;
}

/** Requests the change, and applies it after a review. The environment needs reviews only meanwhile. */
export async function changed(service: TestService, feature: string, action: string, payload: Any): Promise<boolean> {
  const configure = (changeRequestsEnabled: boolean) =>
    isAccepted(service, 'updateProjectChangeRequestConfig', {}, { changeRequestsEnabled, requiredApprovals: 1 });
  await configure(true);
  try {
    return await reviewed(service, { feature, action, payload });
  } finally {
    await configure(false);
  }
}

async function reviewed(service: TestService, body: object): Promise<boolean> {
  const made = await service.call('createChangeRequest', { params: DEVELOPMENT, body });
  if (made.status === 400) return false;
  expect(made.status, made.text).toBe(200);
  for (const [state, token] of [
    ['In review', ADMIN_TOKEN],
    ['Approved', REVIEWER],
    ['Applied', ADMIN_TOKEN],
  ] as const) {
    const params = { projectId: 'default', id: made.body.id };
    const moved = await service.call('changeChangeRequestState', { params, token, body: { state } });
    expect(moved.status, moved.text).toBe(200);
  }
  return true;
}

/** The admin whose token the agent has. */
const AGENT_ID = 900;

/** The token of a second admin, who approves. */
export const REVIEWER = '*:*.test-reviewer';

/** An export of flags, with one strategy each. */
export function exportWith(prefix: string, inputs: readonly StrategyInput[]) {
  const names = inputs.map((_, index) => `${prefix}-${index}`);
  return {
    features: names.map((name) => ({ name, type: 'release', project: 'default' })),
    featureStrategies: inputs.map(({ sent }, index) => ({
      ...sent,
      featureName: names[index],
      id: `s-${prefix}-${index}`,
    })),
    featureEnvironments: names.map((featureName) => ({
      featureName,
      name: featureName,
      environment: 'development',
      enabled: true,
      variants: [],
    })),
  };
}

/** The flags that the service has after an entrance that takes all inputs at once. */
function flagsIn(service: TestService, prefix: string, inputs: readonly StrategyInput[]): Entered {
  const { state } = service.running.services;
  return new Map(
    inputs.map((input, index) => {
      const name = `${prefix}-${index}`;
      return [input, state.get('features', name) ? name : undefined];
    }),
  );
}

async function byTemplate(service: TestService, featureName: string, { name: strategyName, ...sent }: Any) {
  const strategies = [
    { strategyName, ...sent },
    { strategyName: 'default', title: 'the other strategy' },
  ];
  const body = { name: `Plan of ${featureName}`, milestones: [{ name: 'Only', strategies }] };
  const template = await service.call('createReleasePlanTemplate', { body });
  if (template.status === 400) return false;
  expect(template.status, template.text).toBeLessThan(300);
  const params = { ...DEVELOPMENT, featureName };
  const templateId = template.body.id;
  const plan = await service.call('addReleasePlan', { params, body: { templateId } });
  expect(plan.status, plan.text).toBe(200);
  await service.call('toggleFeatureEnvironmentOn', { params });
  // Templates have a limit, and a plan does not need its template.
  await service.call('deleteReleasePlanTemplate', { params: { templateId } });
  return true;
}

/** Every entrance of strategies. A new entrance is a function here. */
export const ENTRANCES: Readonly<Record<string, Entrance>> = {
  'POST of a strategy': oneByOne('post', add),

  'PUT of a strategy': oneByOne('put', async (service, featureName, sent) => {
    const strategyId = await addedStrategy(service, featureName, sent);
    return isAccepted(service, 'updateFeatureStrategy', { featureName, strategyId }, { parameters: {}, ...sent });
  }),

  'PATCH of a strategy': oneByOne('patch', async (service, featureName, sent) => {
    const strategyId = await addedStrategy(service, featureName, sent);
    const patch = Object.entries(sent).map(([name, value]) => ({ op: 'replace', path: `/${name}`, value }));
    return isAccepted(service, 'patchFeatureStrategy', { featureName, strategyId }, patch);
  }),

  'a default strategy': oneByOne('default', async (service, featureName, sent) => {
    const operationId = 'addDefaultStrategyToProjectEnvironment';
    if (!(await isAccepted(service, operationId, {}, sent))) return false;
    return isAccepted(service, 'toggleFeatureEnvironmentOn', { featureName });
  }),

  'a release template': oneByOne('template', byTemplate),

  'a copy to another environment': oneByOne('copy', async (service, featureName, sent) => {
    const production = { featureName, environment: 'production' };
    if (!(await isAccepted(service, 'addFeatureStrategy', production, sent))) return false;
    return isAccepted(service, 'copyFeatureEnvironment', production, { targets: ['development'] });
  }),

  'a clone': oneByOne('clone', async (service, featureName, sent) => {
    if (!(await add(service, featureName, sent))) return false;
    const body = { name: `${featureName}-clone`, replaceGroupId: !sent.parameters?.groupId };
    return (await isAccepted(service, 'cloneFeature', { featureName }, body)) && body.name;
  }),

  'a change request that adds': oneByOne('request', (service, feature, sent) =>
    changed(service, feature, 'addStrategy', sent),
  ),

  'a change request that updates': oneByOne('request-update', async (service, feature, sent) => {
    const id = await addedStrategy(service, feature, sent);
    return changed(service, feature, 'updateStrategy', { parameters: {}, ...sent, id });
  }),

  async 'a tool of an agent'(service, inputs) {
    await putUser(service, AGENT_ID, { rootRole: ROLE_ID.admin });
    const agent = await overHttp({ service }, await personalTokenOf(service, AGENT_ID));
    try {
      const enter = oneByOne('agent', async (_service, feature, payload) => {
        const changes = [{ action: 'addStrategy', feature, payload }];
        const { isError } = await callTool(agent, 'propose_change', {
          project: 'default',
          environment: 'development',
          changes,
        });
        return !isError;
      });
      return await enter(service, inputs);
    } finally {
      await agent.close();
    }
  },

  async 'an import'(service, inputs) {
    const data = exportWith('import', inputs);
    const answer = await service.call('importFeatures', { body: { environment: 'development', data } });
    expect(answer.status, answer.text).toBe(200);
    const entered = flagsIn(service, 'import', inputs);
    const leftOut = [...entered].flatMap(([, flag], index) => (flag === undefined ? [`import-${index}`] : []));
    expect(answer.body.imported).toBe(inputs.length - leftOut.length);
    const named = answer.body.warnings.flatMap(({ affectedItems }: Any) => affectedItems);
    expect(named.map((item: string) => item.split(' ')[0]).sort()).toEqual(leftOut.sort());
    return entered;
  },

  async 'the import of an instance'(service, inputs) {
    const entered = new Map<StrategyInput, string | undefined>();
    for (const [index, input] of inputs.entries()) {
      const sent = Object.entries(input.sent).filter(([name, value]) => value !== null && name !== 'sortOrder');
      const empty = {
        id: '',
        title: null,
        disabled: false,
        parameters: {},
        constraints: [],
        segments: [],
        variants: [],
      };
      const strategies = [{ ...empty, ...Object.fromEntries(sent) }];
      const name = `instance-${index}`;
      const environments = [{ environment: 'development', enabled: true, strategies, variants: [] }];
      const body = { features: [{ name, project: 'default', environments }] };
      const answer = await service.call('takeOver', { body });
      expect([200, 400], answer.text).toContain(answer.status);
      entered.set(input, service.running.services.state.get('features', name) ? name : undefined);
    }
    return entered;
  },

  async 'burgee migrate --file'(service, inputs) {
    const directory = await mkdtemp(join(tmpdir(), 'burgee-test-'));
    try {
      const file = await savedIn(directory, 'export.json', exportWith('file', inputs));
      const { code, said } = await migrateFiles(service.url, '--file', file);
      const entered = flagsIn(service, 'file', inputs);
      for (const [index, [, flag]] of [...entered].entries())
        if (flag === undefined) expect(said).toContain(`flags: file-${index}:`);
      expect(code, said).not.toBe(0);
      return entered;
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  },

  async IMPORT_FILE(service, inputs) {
    const directory = await mkdtemp(join(tmpdir(), 'burgee-test-'));
    try {
      const { config, writer } = service.running.services;
      const importFile = await savedIn(directory, 'export.json', exportWith('start', inputs));
      const changes = await readStartChanges({ ...config, importFile });
      const outcome = await writer.submit(changes.importFlags, changes.flags as ImportInput, systemCaller());
      expect(outcome).not.toBeInstanceOf(Rejection);
      return flagsIn(service, 'start', inputs);
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  },
};
