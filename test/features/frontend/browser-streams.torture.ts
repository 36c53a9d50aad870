import { beforeAll, describe, expect, it } from 'vitest';
import { Random } from '../../evaluation/random.ts';
import { Flags } from '../../support/flags.ts';
import { BrowserStream, type Toggle } from '../../support/http/browser-stream.ts';
import { FRONTEND_TOKEN, useService } from '../../support/service.ts';

/** The number of rounds of edits, and of browsers that listen meanwhile. */
const ROUNDS = Number(process.env.BURGEE_BROWSER_ROUNDS ?? 25);
const BROWSERS = Number(process.env.BURGEE_BROWSERS ?? 24);
const SEED = Number(process.env.BURGEE_SEED ?? 20_260_302);
const DEVELOPMENT = { environment: 'development' };

const FIELDS = ['userId', 'plan', 'region', 'appName'];
const WORDS = ['a', 'b', 'c', 'gold'];

const service = useService();
let flags: Flags;

beforeAll(async () => {
  flags = new Flags(service);
});

type Context = Readonly<Record<string, string>>;

function randomContext(random: Random, index: number): Context {
  const fields: Record<string, string> = { sessionId: `session-${random.below(6)}` };
  for (const field of FIELDS) if (random.chance(0.7)) fields[field] = random.pick(WORDS);
  // A third have a unique user id.
  if (index % 3 === 0) fields.userId = `user-${index}`;
  return fields;
}

const queryOf = (context: Context) => new URLSearchParams(context).toString();

/** Edits flags and segments as users do. The flags have no random stickiness. */
class Editor {
  readonly #random: Random;
  readonly #names: string[] = [];
  #segment = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  async begin(): Promise<void> {
    const constraints = [this.#constraint()];
    this.#segment = (await flags.call('createSegment', {}, { name: 'streamed', constraints })).body.id;
    for (let index = 0; index < 6; index++) await this.#create();
  }

  async edit(): Promise<void> {
    const random = this.#random;
    const featureName = random.pick(this.#names);
    const target = { featureName, ...DEVELOPMENT };
    switch (random.below(9)) {
      case 0:
        return this.#create();
      case 1:
        return void (await flags.call('toggleFeatureEnvironmentOff', target));
      case 2:
      case 3:
        return void (await flags.call('toggleFeatureEnvironmentOn', target));
      case 4:
        return void (await flags.call('addFeatureStrategy', target, this.#strategy()));
      case 5:
        return this.#updateStrategy(featureName);
      case 6:
        return void (await flags.call(
          'updateSegment',
          { id: this.#segment },
          { name: 'streamed', constraints: [this.#constraint()] },
        ));
      case 7:
        return this.#depend(featureName);
      default:
        return this.#archive(featureName);
    }
  }

  async #create(): Promise<void> {
    const featureName = await flags.create({ impressionData: this.#random.chance(0.3) });
    await flags.call('addFeatureStrategy', { featureName, ...DEVELOPMENT }, this.#strategy());
    await flags.call('toggleFeatureEnvironmentOn', { featureName, ...DEVELOPMENT });
    this.#names.push(featureName);
  }

  async #updateStrategy(featureName: string): Promise<void> {
    const { strategies } = await flags.environment(featureName);
    if (strategies.length === 0) return;
    const strategyId = this.#random.pick(strategies as { readonly id: string }[]).id;
    await flags.call('updateFeatureStrategy', { featureName, ...DEVELOPMENT, strategyId }, this.#strategy());
  }

  /** Is refused when the other flag is a child itself, or has children: then nothing changes. */
  async #depend(child: string): Promise<void> {
    const feature = this.#random.pick(this.#names);
    const body = { feature, enabled: this.#random.chance(0.7) };
    await service.call('addFeatureDependency', { params: { projectId: 'default', child }, body });
  }

  /** Is refused for parents. */
  async #archive(featureName: string): Promise<void> {
    if (this.#names.length < 5) return;
    const { status } = await service.call('archiveFeature', { params: { projectId: 'default', featureName } });
    if (status < 300) this.#names.splice(this.#names.indexOf(featureName), 1);
  }

  #strategy(): object {
    const random = this.#random;
    const constraints = random.list(0, 2, () => this.#constraint());
    const segments = random.chance(0.3) ? [this.#segment] : [];
    const stickiness = random.pick(['default', 'userId', 'sessionId', 'plan']);
    const rollout = random.pick(['0', '30', '50', '100']);
    const variants = random.chance(0.4) ? random.list(1, 3, (index) => variant(`v${index}`, 'default')) : [];
    return random.chance(0.5)
      ? { name: 'default', parameters: {}, constraints, segments, variants: variants.map(weighted) }
      : {
          name: 'flexibleRollout',
          parameters: { rollout, stickiness, groupId: random.pick(['g', 'h']) },
          constraints,
          segments,
          variants: variants.map(weighted),
        };
  }

  #constraint(): object {
    const random = this.#random;
    const values = random.list(1, 2, () => random.pick(WORDS));
    const operator = random.pick(['IN', 'NOT_IN', 'STR_STARTS_WITH']);
    return { contextName: random.pick(FIELDS), operator, values, inverted: random.chance(0.2) };
  }
}

const variant = (name: string, stickiness: string) => ({ name, weight: 0, weightType: 'variable', stickiness });

/** Weights with a sum of a thousand. */
function weighted(each: ReturnType<typeof variant>, index: number, all: readonly unknown[]) {
  const share = Math.floor(1000 / all.length);
  return { ...each, weight: index === 0 ? 1000 - share * (all.length - 1) : share };
}

async function asked(query: string): Promise<readonly Toggle[]> {
  const { body } = await service.call('getFrontendFeatures', { query });
  return [...body.toggles].sort((one: Toggle, other: Toggle) => (one.name < other.name ? -1 : 1));
}

describe('streams of browsers', () => {
  it(`have the same toggles as the answers to their contexts, after any edits (seed ${SEED})`, async () => {
    const random = new Random(SEED);
    const editor = new Editor(random);
    await editor.begin();
    const contexts = Array.from({ length: BROWSERS }, (_, index) => randomContext(random, index));
    const headers = { authorization: FRONTEND_TOKEN };
    const streams = await Promise.all(
      contexts.map((context) => BrowserStream.open(service.url, queryOf(context), headers)),
    );
    try {
      let updates = 0;
      for (let round = 0; round < ROUNDS; round++) {
        const edits = 1 + random.below(4);
        for (let edit = 0; edit < edits; edit++) await editor.edit();
        // One stream gets another context. One is cut and reconnects with its last event id.
        const changed = random.below(BROWSERS);
        const context = randomContext(random, changed);
        const stream = streams[changed] as BrowserStream;
        await stream.until(() => stream.connection !== '');
        const { sessionId, ...rest } = context;
        const body = { connection: stream.connection, context: { sessionId, properties: rest, ...rest } };
        expect((await service.call('setFrontendStreamContext', { body })).status).toBe(200);
        contexts[changed] = context;
        const cut = (changed + 1) % BROWSERS;
        const before = streams[cut] as BrowserStream;
        await before.until(() => before.stream.events.length > 0);
        before.close();
        await editor.edit();
        streams[cut] = await BrowserStream.open(service.url, queryOf(contexts[cut] as Context), headers, before);
        for (const [index, each] of streams.entries()) {
          const expected = JSON.stringify(await asked(queryOf(contexts[index] as Context)));
          await each.until(() => JSON.stringify(each.toggles) === expected);
        }
        updates += streams.reduce((sum, { stream: { events } }) => sum + events.length, 0);
      }
      expect(updates).toBeGreaterThan(ROUNDS);
    } finally {
      for (const stream of streams) stream.close();
    }
  }, 120_000);
});
