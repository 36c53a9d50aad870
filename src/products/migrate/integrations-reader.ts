import '../../features/modules.ts';
import { MASK } from '../../features/addons/parameters.ts';
import { nameOfAddon } from '../../features/import-export/instance/addons.ts';
import { EVENT_TYPES } from '../../model/event.ts';
import type { Holdings } from './holdings.ts';
import type { InstanceClient } from './instance-client.ts';
import { integer, isTrue, type Loose, list, object, text, textOrNull, texts } from './loose-json.ts';

/** Reads the integrations (add-ons), oldest first. The source shows no secrets: a note names those that people must enter. */
export async function readIntegrations(
  client: InstanceClient,
  holdings: Pick<Holdings, 'addons' | 'notes'>,
): Promise<void> {
  const known: readonly string[] = EVENT_TYPES;
  const answer = object(await client.getOptional('/api/admin/addons'));
  const secrets = secretsByProvider(answer.providers);
  const sent = list(answer.addons);
  for (const each of sent.toSorted((left, right) => integer(left.id, 0) - integer(right.id, 0))) {
    const isSecret: IsSecret = (name, value) => value === MASK || secrets.get(text(each.provider))?.has(name) === true;
    const integration = readIntegration(each, isSecret);
    const about = `integration ${nameOfAddon(integration)}`;
    const unknown = integration.events.filter((type) => !known.includes(type));
    holdings.addons.push(integration);
    holdings.notes.push({ about, text: noteOf(each, isSecret) });
    if (unknown.length > 0)
      holdings.notes.push({ about, text: `Burgee has no events of these types: ${unknown.join(', ')}` });
  }
}

/** Whether the parameter with this name and value is a secret, which the source may show in part. */
type IsSecret = (name: string, value: string) => boolean;

/** Provider → the parameters that the source states to be secrets. They are never imported by what it shows. */
function secretsByProvider(providers: unknown): ReadonlyMap<string, ReadonlySet<string>> {
  return new Map(
    list(providers).map(({ name, parameters }) => [
      text(name),
      new Set(list(parameters).flatMap((parameter) => (isTrue(parameter.sensitive) ? [text(parameter.name)] : []))),
    ]),
  );
}

function readIntegration(
  { provider, description, events, projects, environments, parameters }: Loose,
  isSecret: IsSecret,
) {
  return {
    provider: text(provider),
    description: textOrNull(description) || null,
    events: texts(events),
    projects: texts(projects),
    environments: texts(environments),
    parameters: textsOf(parameters, (name, value) => !isSecret(name, value)),
  };
}

function noteOf({ enabled, parameters }: Loose, isSecret: IsSecret): string {
  const secrets = Object.keys(textsOf(parameters, isSecret));
  const missing = secrets.length === 0 ? 'check it here' : `enter its secrets here (${secrets.join(', ')})`;
  const after = isTrue(enabled) ? `${missing}, and switch it on` : `${missing} before you switch it on`;
  return `imported switched off, because the source does not show secrets: ${after}`;
}

/** The texts of a JSON object that pass the test, by name. */
function textsOf(value: unknown, passes: IsSecret): Readonly<Record<string, string>> {
  const entries = Object.entries(object(value)).filter(
    ([name, each]) => typeof each === 'string' && passes(name, each),
  );
  return Object.fromEntries(entries) as Record<string, string>;
}
