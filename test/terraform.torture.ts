import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BurgeeProcess } from './support/burgee-process.ts';
import { ADMIN_TOKEN } from './support/service.ts';

/**
 * The Terraform provider of Unleash (a program; 3.4.3 was tested by hand) and Terraform. The provider is in no registry that tests can rely on: its path is
 * TERRAFORM_PROVIDER_UNLEASH, and the path of Terraform is TERRAFORM unless it is on the PATH.
 */
const { TERRAFORM = 'terraform', TERRAFORM_PROVIDER_UNLEASH: PROVIDER } = process.env;

let folder: string;
let burgee: BurgeeProcess;
let url: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'burgee-terraform-'));
  burgee = new BurgeeProcess({
    ...{ DATA_DIR: join(folder, 'data'), INIT_ADMIN_API_TOKENS: ADMIN_TOKEN },
    UNLEASH_DEFAULT_ADMIN_PASSWORD: 'Correct-Horse-9',
  });
  url = await burgee.url();
});

afterAll(async () => {
  await burgee?.stop();
  rmSync(folder, { recursive: true, force: true });
});

// biome-ignore lint/suspicious/noExplicitAny: answers have many shapes, and an assertion checks each.
type Body = any;

/** Sends a request of the provider, expects the status that the provider expects, and returns the body of the answer. */
async function call(status: number, method: string, path: string, body?: object): Promise<Body> {
  const headers = { authorization: ADMIN_TOKEN, 'content-type': 'application/json' };
  const answer = await fetch(`${url}/api/admin${path}`, {
    method,
    headers,
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  expect([method, path, answer.status, text]).toEqual([method, path, status, text]);
  return text === '' ? undefined : JSON.parse(text);
}

/** Checks that fields are absent: the provider fails on a null that the types of its client do not allow. */
function expectAbsent(body: Body, ...names: readonly string[]): void {
  for (const name of names) expect([name, name in body ? body[name] : 'absent']).toEqual([name, 'absent']);
}

describe('the requests of the Terraform provider of Unleash', () => {
  it('a project without a description: created, read, updated, deleted', async () => {
    const project = await call(201, 'POST', '/projects', { id: 'tf', name: 'Terraform' });
    expect(project).toMatchObject({ id: 'tf', name: 'Terraform' });
    expectAbsent(project, 'description');
    expect(await call(200, 'GET', '/projects/tf/overview')).toMatchObject({ name: 'Terraform' });
    await call(200, 'PUT', '/projects/tf', { name: 'Terraform 2', description: 'by a plan' });
    const { projects } = await call(200, 'GET', '/projects');
    expect(projects.find(({ id }: Body) => id === 'tf')).toMatchObject({
      name: 'Terraform 2',
      description: 'by a plan',
    });
    await call(200, 'DELETE', '/projects/tf');
  });

  it('a user without a username or a name: created, read, updated, deleted', async () => {
    const sent = { email: 'plan@example.com', rootRole: 3, password: 'Correct-Horse-9', sendEmail: false };
    const user = await call(201, 'POST', '/user-admin', sent);
    expectAbsent(user, 'username', 'name');
    const read = await call(200, 'GET', `/user-admin/${user.id}`);
    expect(read).toMatchObject({ email: sent.email, rootRole: 3 });
    expectAbsent(read, 'username', 'name');
    expect(await call(200, 'PUT', `/user-admin/${user.id}`, { name: 'Plan', rootRole: 2 })).toMatchObject({
      name: 'Plan',
    });
    await call(200, 'DELETE', `/user-admin/${user.id}`);
    await call(404, 'GET', `/user-admin/${user.id}`);
  });

  it('the first admin, who has no name', async () => {
    const { users } = await call(200, 'GET', '/user-admin');
    const first = users.find(({ username }: Body) => username === 'admin');
    expect(first).toMatchObject({ rootRole: 1 });
    expect(first.name ?? '').toBe('');
  });

  it('an environment of a project: change requests on and off, and removed twice', async () => {
    await call(201, 'POST', '/projects', { id: 'tf-space', name: 'Space' });
    await call(201, 'POST', '/environments', { name: 'outerspace', type: 'vacuum' });
    await call(200, 'POST', '/projects/tf-space/environments', { environment: 'outerspace' });
    const config = '/projects/tf-space/environments/outerspace/change-requests/config';
    await call(204, 'PUT', config, { changeRequestsEnabled: true, requiredApprovals: 2 });
    const [stored] = (await call(200, 'GET', '/projects/tf-space/change-requests/config')).filter(
      ({ environment }: Body) => environment === 'outerspace',
    );
    expect(stored).toMatchObject({ changeRequestEnabled: true, requiredApprovals: 2 });
    await call(204, 'PUT', config, { changeRequestsEnabled: false });
    for (const _time of ['linked', 'not linked any more'])
      await call(200, 'DELETE', '/projects/tf-space/environments/outerspace');
    await call(200, 'DELETE', '/environments/outerspace');
    await call(200, 'DELETE', '/projects/tf-space');
  });

  it('sign-on settings without a root role: 0 means none', async () => {
    for (const kind of ['saml', 'oidc']) {
      await call(200, 'POST', `/auth/${kind}/settings`, { enabled: false, defaultRootRoleId: 0 });
      const read = await call(200, 'GET', `/auth/${kind}/settings`);
      expect(read.enabled).toBe(false);
      expectAbsent(read, 'defaultRootRoleId');
    }
  });

  it('permissions by their ids, and a role with a permission', async () => {
    const { permissions } = await call(200, 'GET', '/permissions');
    expect(permissions.root.find(({ name }: Body) => name === 'CREATE_PROJECT').id).toBe(12);
    const name = 'planner';
    const { roles: before } = await call(200, 'GET', '/roles');
    const sent = { name, description: 'plans', type: 'root-custom', permissions: [{ id: 12, name: 'CREATE_PROJECT' }] };
    const { roles: made } = await call(200, 'POST', '/roles', sent);
    expect((await call(200, 'GET', '/roles')).roles.length).toBe(before.length + 1);
    const read = await call(200, 'GET', `/roles/${made.id}`);
    expect(read.permissions.map(({ name: one }: Body) => one)).toEqual(['CREATE_PROJECT']);
    await call(200, 'DELETE', `/roles/${made.id}`);
  });

  it('a context field, a token, a service account and its token: created, updated, deleted', async () => {
    await call(201, 'POST', '/context', { name: 'cheese', legalValues: [{ value: 'brie', description: 'soft' }] });
    expect(await call(200, 'GET', '/context/cheese')).toMatchObject({ legalValues: [{ value: 'brie' }] });
    await call(200, 'PUT', '/context/cheese', { description: 'what is eaten', stickiness: true, legalValues: [] });
    await call(200, 'DELETE', '/context/cheese');
    const sent = { tokenName: 'plan', type: 'client', environment: 'development', projects: ['default'] };
    const { secret } = await call(201, 'POST', '/api-tokens', sent);
    const path = `/api-tokens/${encodeURIComponent(secret)}`;
    await call(200, 'PUT', path, { expiresAt: '2099-01-01T00:00:00.000Z' });
    await call(200, 'DELETE', path);
    const account = await call(201, 'POST', '/service-account', { username: 'bot', name: 'Bot', rootRole: 2 });
    const tokens = `/service-account/${account.id}/token`;
    const token = { description: 'plan', expiresAt: '2099-01-01T00:00:00.000Z' };
    const { id } = await call(201, 'POST', tokens, token);
    expect((await call(200, 'GET', tokens)).pats).toMatchObject([{ id, description: 'plan' }]);
    await call(200, 'DELETE', `${tokens}/${id}`);
    await call(200, 'DELETE', `/service-account/${account.id}`);
  });
});

const PLAN = `
terraform {
  required_providers {
    unleash = { source = "Unleash/unleash" }
  }
}
provider "unleash" {
  base_url      = var.url
  authorization = var.token
}
variable "url" {}
variable "token" {}
resource "unleash_project" "plain" {
  id   = "planned"
  name = "Planned"
}
resource "unleash_environment" "space" {
  name = "planned-space"
  type = "vacuum"
}
resource "unleash_project_environment" "space" {
  project_id              = unleash_project.plain.id
  environment_name        = unleash_environment.space.name
  change_requests_enabled = true
  required_approvals      = 2
}
resource "unleash_context_field" "cheese" {
  name         = "planned-cheese"
  stickiness   = true
  legal_values = [{ value = "brie" }]
}
resource "unleash_user" "somebody" {
  email      = "planned@example.com"
  password   = "Correct-Horse-9"
  root_role  = 3
  send_email = false
}
`;

function whyNot(): string | undefined {
  if (PROVIDER === undefined) return 'TERRAFORM_PROVIDER_UNLEASH is not set';
  if (spawnSync(TERRAFORM, ['version'], { stdio: 'ignore' }).status !== 0) return `${TERRAFORM} does not run here`;
  return undefined;
}

describe('the Terraform provider of Unleash, unmodified', () => {
  it('creates a plan, then finds nothing to change, and destroys it', (context) => {
    const reason = whyNot();
    if (reason !== undefined) {
      console.warn(`Unleash's Terraform provider was not run: ${reason}. Its requests were.`);
      return context.skip(reason);
    }
    symlinkSync(PROVIDER as string, join(folder, 'terraform-provider-unleash'));
    const overrides = `provider_installation {\n  dev_overrides { "Unleash/unleash" = "${folder}" }\n  direct {}\n}\n`;
    writeFileSync(join(folder, 'terraformrc'), overrides);
    writeFileSync(join(folder, 'main.tf'), PLAN);
    const named = { TF_CLI_CONFIG_FILE: join(folder, 'terraformrc'), TF_VAR_url: url, TF_VAR_token: ADMIN_TOKEN };
    const terraform = (...args: string[]) => {
      const { status, stdout, stderr } = spawnSync(TERRAFORM, [...args, '-no-color', '-input=false'], {
        ...{ cwd: folder, encoding: 'utf8', env: { ...process.env, ...named, CHECKPOINT_DISABLE: '1' } },
      });
      return { status, said: stdout + stderr };
    };
    const ends = (status: number, ...args: string[]) => {
      const ended = terraform(...args);
      expect([args[0], ended.status, ended.said]).toEqual([args[0], status, ended.said]);
    };
    ends(0, 'apply', '-auto-approve');
    ends(0, 'plan', '-detailed-exitcode');
    ends(0, 'destroy', '-auto-approve');
  });
});
