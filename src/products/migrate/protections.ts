import { getOrMake } from '../../base/get-or-make.ts';
import type { Holdings, Protection } from './holdings.ts';
import type { InstanceClient } from './instance-client.ts';
import { flag, list, reasonOf, text, texts, whole } from './loose-json.ts';
import type { Taking, Took } from './taker.ts';

/** The path of a project in the admin API. */
const pathOf = (project: string) => `/api/admin/projects/${encodeURIComponent(project)}`;

/**
 * Reads the environments of a project in which changes need a review, and the required number of approvals. `sent` is the project's list of
 * environments. Further requests are sent only if that list shows that the project may have reviews. Open change requests are reported, not imported.
 */
export async function readProtections(
  client: InstanceClient,
  holdings: Pick<Holdings, 'protections' | 'notes'>,
  { project, sent }: { readonly project: string; readonly sent: unknown },
): Promise<void> {
  const marked = list(sent)
    .filter(({ changeRequestsEnabled }) => flag(changeRequestsEnabled))
    .map(({ environment, name }) => text(environment) || text(name));
  // Version 4 sends only names.
  if (marked.length === 0 && texts(sent).length === 0) return;
  const approvals = await readApprovals(client, project);
  for (const environment of marked) {
    if (approvals.has(environment)) continue;
    approvals.set(environment, 1);
    const about = `reviews of ${nameOfProtection({ project, environment })}`;
    holdings.notes.push({ about, text: 'the number of approvals is not shown: imported as one' });
  }
  for (const [environment, requiredApprovals] of approvals)
    holdings.protections.push({ project, environment, requiredApprovals });
  if (approvals.size > 0) await noteOpenRequests(client, holdings, project);
}

/** The number of required approvals for each environment in which changes need a review. */
async function readApprovals(client: InstanceClient, project: string): Promise<Map<string, number>> {
  const answer = await client.getIfThere(`${pathOf(project)}/change-requests/config`);
  const on = list(answer).filter(({ changeRequestEnabled }) => flag(changeRequestEnabled));
  return new Map(
    on.map(({ environment, requiredApprovals }) => [text(environment), Math.max(1, whole(requiredApprovals, 1))]),
  );
}

/** States in which a change request can no longer be applied. */
const OVER: ReadonlySet<string> = new Set(['Applied', 'Cancelled', 'Rejected']);

async function noteOpenRequests(
  client: InstanceClient,
  { notes }: Pick<Holdings, 'notes'>,
  project: string,
): Promise<void> {
  const path = `${pathOf(project)}/change-requests`;
  const about = `open change requests of ${project}`;
  const reply = await client.ask('GET', path);
  if (reply.status !== 200) return void notes.push({ about, text: 'they cannot be read: check them there' });
  const ids = list(client.parsed('GET', path, reply))
    .filter(({ state }) => !OVER.has(text(state)))
    .map(({ id }) => text(id));
  if (ids.length > 0) notes.push({ about, text: `decide them there, or create them again here: ${ids.join(', ')}` });
}

/**
 * Sets up the same reviews here as in the source, with the same number of approvals. It must run after the import of the flags, because the import
 * would otherwise need reviews. Reviews that exist only here stay.
 */
export async function takeProtections(
  target: InstanceClient,
  protections: readonly Protection[],
  taking: Taking,
): Promise<void> {
  for (const [project, wanted] of byProject(protections)) {
    const here = await readApprovals(target, project);
    for (const { environment, requiredApprovals } of wanted) {
      const name = nameOfProtection({ project, environment });
      const known = here.get(environment);
      if (known === requiredApprovals) {
        taking.unchanged++;
        continue;
      }
      const path = `${pathOf(project)}/environments/${encodeURIComponent(environment)}/change-requests/config`;
      const { status, text: sent } = await target.ask('PUT', path, { changeRequestsEnabled: true, requiredApprovals });
      const item = { kind: 'protections', name } as const;
      if (status >= 300) taking.items.push({ ...item, outcome: 'refused', reason: reasonOf({ status, text: sent }) });
      else if (known === undefined) taking.items.push({ ...item, outcome: 'created' });
      else taking.items.push({ ...item, outcome: 'changed', changed: ['requiredApprovals'] });
    }
  }
}

/** The environments that have reviews here but no longer in the source. They are reported, because a user must decide whether the reviews end. */
export function protectionsThatStay(before: Holdings, after: Holdings): Took[] {
  const still = new Set(after.protections.map(nameOfProtection));
  const ended = before.protections.map(nameOfProtection).filter((name) => !still.has(name));
  const reason = 'changes are no longer reviewed there; here the reviews stay until a user disables them';
  return ended.map((name) => ({ kind: 'protections', name, outcome: 'refused', reason }));
}

/** Differences between the reviews of source and target, as text. */
export async function protectionDifferences(
  target: InstanceClient,
  protections: readonly Protection[],
): Promise<string[]> {
  const differences: string[] = [];
  for (const [project, wanted] of byProject(protections)) {
    const here = await readApprovals(target, project);
    for (const { environment, requiredApprovals } of wanted) {
      const known = here.get(environment);
      if (known === requiredApprovals) continue;
      const name = nameOfProtection({ project, environment });
      differences.push(`reviews of ${name}: ${requiredApprovals} approvals there, ${known ?? 'none'} here`);
    }
  }
  return differences;
}

export function nameOfProtection({ project, environment }: Pick<Protection, 'project' | 'environment'>): string {
  return `${environment} of ${project}`;
}

function byProject(protections: readonly Protection[]): Map<string, Protection[]> {
  const projects = new Map<string, Protection[]>();
  for (const protection of protections) getOrMake(projects, protection.project, () => []).push(protection);
  return projects;
}
